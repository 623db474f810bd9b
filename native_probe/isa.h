// Instructions of the probe: the widest of this processor, or narrower ones on request.
#pragma once

#include <string>
#include <vector>

namespace pmtwin::probe {

enum class Vector { kSse2, kAvx2, kAvx512 };
enum class Flush { kClflush, kClflushopt, kClwb };

struct Isa {
  Vector vector;
  Flush flush;
};

// Everything that this processor can execute, from the narrowest to the widest. `clflush` and SSE2 belong to x86-64.
std::vector<Vector> available_vectors();
std::vector<Flush> available_flushes();

// The widest vectors and the most considerate flush.
Isa best_isa();

// From `avx2`, `clflushopt` or both with a plus between them: what is not named is the best there is.
// Throws InputError for an unknown name and for one that this processor does not have.
Isa parse_isa(const std::string& text);

std::string name_of(Vector vector);
std::string name_of(Flush flush);
std::string name_of(const Isa& isa);  // such as avx512+clwb

}  // namespace pmtwin::probe
