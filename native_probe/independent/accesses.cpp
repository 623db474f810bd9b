// pmtwin-plain-accesses: bandwidth of memory, measured by other code than the probe's, to check the probe by.
//
// It shares nothing with it but the width of the vectors, which decides how many lines are under way: a file of its own
// in the directory, filled by the compiler's stores, another generator of addresses, intrinsics in place of assembly,
// one clock reading around millions of accesses, and no warm-up. The clock is the thread's own, which stands still while
// other work has the processor.
//
// usage: pmtwin-plain-accesses DIRECTORY BYTES SEED sse2|avx2|avx512; then for each line OPERATION PATTERN SIZE SECONDS
// on standard input (load, ntstore or store_clwb; random or sequential; a multiple of 64 bytes), a line: MiB/s.

#include <fcntl.h>
#include <immintrin.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>

namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kLine = 64;
constexpr int kAccessesALook = 256;  // at the clock

// A file without a name: it is gone however the program ends. Every byte is written before anything is measured.
char* memory_in(const char* directory, std::uint64_t bytes) {
  const int file = open(directory, O_TMPFILE | O_RDWR, 0600);
  if (file < 0 || posix_fallocate(file, 0, static_cast<off_t>(bytes)) != 0) return nullptr;
  void* found = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (found == MAP_FAILED) return nullptr;
  madvise(found, bytes, MADV_HUGEPAGE);
  std::memset(found, 0x5a, bytes);
  return static_cast<char*>(found);
}

// Marsaglia's xorshift: the next state is known without the access before it.
std::uint64_t next_bits(std::uint64_t& state) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

double thread_s() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

using Access = void (*)(char* block, std::uint64_t size);

struct Loops {
  Access load, ntstore, store_clwb;
};

// The loops for one width of vectors; the empty assembly keeps the compiler from leaving out a load.
#define PMTWIN_PLAIN_LOOPS(name, features, Vector, load_vector, stream_vector, store_vector, set_bytes)   \
  [[gnu::target(features)]] void load_##name(char* block, std::uint64_t size) {                           \
    for (std::uint64_t at = 0; at < size; at += sizeof(Vector)) {                                         \
      const Vector value = load_vector(reinterpret_cast<Vector*>(block + at));                            \
      asm volatile("" : : "x"(value));                                                                    \
    }                                                                                                     \
  }                                                                                                       \
  [[gnu::target(features)]] void ntstore_##name(char* block, std::uint64_t size) {                        \
    const Vector value = set_bytes(0x5a);                                                                 \
    for (std::uint64_t at = 0; at < size; at += sizeof(Vector)) {                                         \
      stream_vector(reinterpret_cast<Vector*>(block + at), value);                                        \
    }                                                                                                     \
  }                                                                                                       \
  [[gnu::target(features)]] void store_clwb_##name(char* block, std::uint64_t size) {                     \
    const Vector value = set_bytes(0x5a);                                                                 \
    for (std::uint64_t line = 0; line < size; line += kLine) {                                            \
      for (std::uint64_t at = line; at < line + kLine; at += sizeof(Vector)) {                            \
        store_vector(reinterpret_cast<Vector*>(block + at), value);                                       \
      }                                                                                                   \
      _mm_clwb(block + line);                                                                             \
    }                                                                                                     \
  }                                                                                                       \
  constexpr Loops name{load_##name, ntstore_##name, store_clwb_##name};

PMTWIN_PLAIN_LOOPS(sse2, "sse2,clwb", __m128i, _mm_load_si128, _mm_stream_si128, _mm_store_si128, _mm_set1_epi8)
PMTWIN_PLAIN_LOOPS(avx2, "avx2,clwb", __m256i, _mm256_load_si256, _mm256_stream_si256, _mm256_store_si256,
                   _mm256_set1_epi8)
PMTWIN_PLAIN_LOOPS(avx512, "avx512f,clwb", __m512i, _mm512_load_si512, _mm512_stream_si512, _mm512_store_si512,
                   _mm512_set1_epi8)
#undef PMTWIN_PLAIN_LOOPS

double mib_s(Access access, char* memory, std::uint64_t bytes, bool random, std::uint64_t size, double seconds,
             std::uint64_t& state) {
  const std::uint64_t blocks = bytes / size;
  std::uint64_t block = next_bits(state) % blocks, accesses = 0;
  std::chrono::duration<double> took{};
  const auto begin = std::chrono::steady_clock::now();
  const double begin_s = thread_s();
  do {
    for (int i = 0; i < kAccessesALook; ++i) {
      access(memory + block * size, size);
      block = random ? static_cast<std::uint64_t>((static_cast<Wide>(next_bits(state)) * blocks) >> 64)
                     : (block + 1 == blocks ? 0 : block + 1);
    }
    accesses += kAccessesALook;
    took = std::chrono::steady_clock::now() - begin;
  } while (took.count() < seconds);
  _mm_mfence();
  return static_cast<double>(accesses * size) / (thread_s() - begin_s) / (1 << 20);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t bytes = argc == 5 ? std::strtoull(argv[2], nullptr, 10) : 0;
  const std::string vectors = argc == 5 ? argv[4] : "";
  if (bytes < (1u << 20) || (vectors != "sse2" && vectors != "avx2" && vectors != "avx512")) {
    std::fputs("usage: pmtwin-plain-accesses DIRECTORY BYTES SEED sse2|avx2|avx512\n", stderr);
    return 2;
  }
  const Loops loops = vectors == "avx512" ? avx512 : vectors == "avx2" ? avx2 : sse2;
  char* const memory = memory_in(argv[1], bytes);
  if (memory == nullptr) {
    std::perror("pmtwin-plain-accesses: memory");
    return 1;
  }
  std::uint64_t state = 0x9e3779b97f4a7c15 ^ std::strtoull(argv[3], nullptr, 10);
  std::cout << "ready" << std::endl;
  std::string operation, pattern;
  std::uint64_t size = 0;
  for (double seconds = 0; std::cin >> operation >> pattern >> size >> seconds;) {
    const Access access = operation == "load" ? loops.load : operation == "ntstore" ? loops.ntstore : loops.store_clwb;
    std::cout << mib_s(access, memory, bytes, pattern == "random", size, seconds, state) << std::endl;
  }
  return 0;
}
