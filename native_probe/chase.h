// Dependent pointer chase: each line holds the address of the next, so that a load cannot begin before the last ended.
//
// Over pages of 4 KiB a random chase misses the TLB at nearly every hop; what it measures is then what a program that
// follows pointers pays, the page walk included (`page_bytes` in the context says which pages they were).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace pmtwin::probe {

// Links all lines of `region` (of `bytes`, a multiple of 64, at most 2^38) into one cycle: in random order, or one
// after the other. The random order is a uniformly random cycle (Sattolo's algorithm's distribution): a shuffled list
// of the lines, linked in its order. `on_progress` is called now and then and may throw to stop it.
void link_lines(char* region, std::uint64_t bytes, bool random, std::uint64_t seed,
                const std::function<void()>& on_progress);

// Follows `hops` links from `line` and returns where it got to.
const char* follow(const char* line, std::uint64_t hops);

}  // namespace pmtwin::probe
