#pragma once

#include "native/common/histogram.h"

namespace pmtwin::probe {

using pmtwin::Histogram;

}  // namespace pmtwin::probe
