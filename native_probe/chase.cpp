#include "native_probe/chase.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "native_probe/access.h"

namespace pmtwin::probe {
namespace {

constexpr std::uint32_t kLinesBetweenCalls = 1u << 20;

void link(char* from, const char* to) {
  std::memcpy(from, &to, sizeof to);
}

}  // namespace

void link_lines(char* region, std::uint64_t bytes, bool random, std::uint64_t seed,
                const std::function<void()>& on_progress) {
  const auto lines = static_cast<std::uint32_t>(bytes / kLineBytes);
  const auto line = [region](std::uint64_t index) { return region + index * kLineBytes; };
  if (!random) {
    for (std::uint32_t i = 0; i < lines; ++i) {
      link(line(i), line((i + 1) % lines));
      if (i % kLinesBetweenCalls == 0) on_progress();
    }
    return;
  }
  std::vector<std::uint32_t> order(lines);
  std::iota(order.begin(), order.end(), 0u);
  std::mt19937_64 engine(seed);
  for (std::uint32_t i = lines; i > 1; --i) {
    const auto other = static_cast<std::uint32_t>(((engine() >> 32) * i) >> 32);
    std::swap(order[i - 1], order[other]);
    if (i % kLinesBetweenCalls == 0) on_progress();
  }
  for (std::uint32_t i = 0; i < lines; ++i) {
    link(line(order[i]), line(order[i + 1 == lines ? 0 : i + 1]));
    if (i % kLinesBetweenCalls == 0) on_progress();
  }
}

const char* follow(const char* line, std::uint64_t hops) {
  for (std::uint64_t i = 0; i < hops; ++i) asm volatile("mov (%0), %0" : "+r"(line) : : "memory");
  return line;
}

}  // namespace pmtwin::probe
