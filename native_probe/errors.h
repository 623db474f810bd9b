#pragma once

#include "native/common/errors.h"

namespace pmtwin::probe {

using pmtwin::InputError;
using pmtwin::Interrupted;

}  // namespace pmtwin::probe
