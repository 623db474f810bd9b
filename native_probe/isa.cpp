#include "native_probe/isa.h"

#include <cpuid.h>

#include <algorithm>
#include <sstream>

#include "native/common/errors.h"

namespace pmtwin::probe {
namespace {

constexpr unsigned kClflushoptBit = 1u << 23;  // CPUID leaf 7, EBX (Intel SDM, table 3-8)
constexpr unsigned kClwbBit = 1u << 24;

unsigned leaf7_ebx() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 ? ebx : 0;
}

template <class Kind>
bool take(const std::string& word, const std::vector<Kind>& all, const std::vector<Kind>& here, Kind& into) {
  for (const Kind kind : all) {
    if (name_of(kind) != word) continue;
    if (std::find(here.begin(), here.end(), kind) == here.end()) {
      throw InputError("--isa", word, name_of(best_isa()) + " and what came before", "is not in this processor");
    }
    into = kind;
    return true;
  }
  return false;
}

}  // namespace

std::vector<Vector> available_vectors() {
  std::vector<Vector> found{Vector::kSse2};
  // These ask the operating system too, which must save the wide registers.
  if (__builtin_cpu_supports("avx2")) found.push_back(Vector::kAvx2);
  if (__builtin_cpu_supports("avx512f")) found.push_back(Vector::kAvx512);
  return found;
}

std::vector<Flush> available_flushes() {
  std::vector<Flush> found{Flush::kClflush};
  const unsigned bits = leaf7_ebx();
  if ((bits & kClflushoptBit) != 0) found.push_back(Flush::kClflushopt);
  if ((bits & kClwbBit) != 0) found.push_back(Flush::kClwb);
  return found;
}

Isa best_isa() {
  return {available_vectors().back(), available_flushes().back()};
}

Isa parse_isa(const std::string& text) {
  Isa isa = best_isa();
  std::istringstream words(text);
  bool any = false;
  for (std::string word; std::getline(words, word, '+'); any = true) {
    const bool known = take(word, {Vector::kSse2, Vector::kAvx2, Vector::kAvx512}, available_vectors(), isa.vector) ||
                       take(word, {Flush::kClflush, Flush::kClflushopt, Flush::kClwb}, available_flushes(), isa.flush);
    if (!known) throw InputError("--isa", word, "sse2, avx2, avx512, clflush, clflushopt, clwb, or A+B");
  }
  if (!any) throw InputError("--isa", text, "sse2, avx2, avx512, clflush, clflushopt, clwb, or A+B");
  return isa;
}

std::string name_of(Vector vector) {
  switch (vector) {
    case Vector::kSse2:
      return "sse2";
    case Vector::kAvx2:
      return "avx2";
    case Vector::kAvx512:
      return "avx512";
  }
  return "";
}

std::string name_of(Flush flush) {
  switch (flush) {
    case Flush::kClflush:
      return "clflush";
    case Flush::kClflushopt:
      return "clflushopt";
    case Flush::kClwb:
      return "clwb";
  }
  return "";
}

std::string name_of(const Isa& isa) {
  return name_of(isa.vector) + "+" + name_of(isa.flush);
}

}  // namespace pmtwin::probe
