// pmtwin-plain-chase: the idle latency of memory, measured by other code than the probe's, to check the probe by.
//
// It shares nothing with it: memory of its own (anonymous), a cycle made in place (Sattolo's algorithm) by another
// generator, the compiler's own loop, the C++ clock around millions of hops, no histogram and nothing to subtract.
//
// usage: pmtwin-plain-chase BYTES SEED small|huge; then, for each number of hops on standard input, a line: ns per hop.

#include <sys/mman.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <random>
#include <span>
#include <utility>

namespace {

struct alignas(64) Node {
  Node* next;
};

std::span<Node> memory_of(std::size_t bytes, bool huge_pages) {
  void* found = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (found == MAP_FAILED) {
    std::perror("pmtwin-plain-chase: mmap");
    std::exit(1);
  }
  madvise(found, bytes, huge_pages ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  return {static_cast<Node*>(found), bytes / sizeof(Node)};
}

// Swapping each element with an earlier one, never with itself, leaves one cycle through all of them.
void make_cycle(std::span<Node> nodes, unsigned seed) {
  std::ranlux48_base engine(seed);
  for (Node& node : nodes) node.next = &node;
  for (std::size_t i = nodes.size() - 1; i > 0; --i) std::swap(nodes[i].next, nodes[engine() % i].next);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t bytes = argc == 4 ? std::strtoull(argv[1], nullptr, 10) : 0;
  const bool huge_pages = argc == 4 && std::strcmp(argv[3], "huge") == 0;
  if (bytes < 2 * sizeof(Node) || (!huge_pages && std::strcmp(argv[3], "small") != 0)) {
    std::fputs("usage: pmtwin-plain-chase BYTES SEED small|huge\n", stderr);
    return 2;
  }
  const std::span<Node> nodes = memory_of(bytes, huge_pages);
  make_cycle(nodes, static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)));
  std::cout << "ready" << std::endl;
  const Node* node = nodes.data();
  for (std::uint64_t hops = 0; std::cin >> hops && hops > 0;) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint64_t i = 0; i < hops; ++i) node = node->next;
    if (node == nullptr) return 1;  // never: the hops must not be left out
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    std::cout << took.count() / static_cast<double>(hops) << std::endl;
  }
  return 0;
}
