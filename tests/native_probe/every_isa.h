// All combinations of instructions that the processor of the test has.
#pragma once

#include <ostream>
#include <vector>

#include "native_probe/isa.h"

namespace pmtwin::probe {

inline std::vector<Isa> every_isa() {
  std::vector<Isa> all;
  for (const Vector vector : available_vectors()) {
    for (const Flush flush : available_flushes()) all.push_back({vector, flush});
  }
  return all;
}

inline void PrintTo(const Isa& isa, std::ostream* out) {
  *out << name_of(isa);
}

}  // namespace pmtwin::probe
