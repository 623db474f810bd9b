// pmtwin-plain-accesses: bandwidth of memory, measured by other code than the probe's, to check the probe by.
//
// It shares nothing with it: a file of its own in the directory, filled by the compiler's stores, another generator of
// addresses, intrinsics in place of assembly, one clock reading around millions of accesses, and no warm-up. The clock
// is the thread's own, which stands still while other work has the processor.
//
// usage: pmtwin-plain-accesses DIRECTORY BYTES SEED; then for each line OPERATION PATTERN SIZE SECONDS on standard input
// (load, ntstore or store_clwb; random or sequential; a multiple of 64 bytes), a line: MiB/s.

#include <emmintrin.h>
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

constexpr std::uint64_t kLine = 64, kPiece = 16;
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

volatile std::uint64_t sink;

void load(const char* block, std::uint64_t size) {
  __m128i sum = _mm_setzero_si128();
  for (std::uint64_t at = 0; at < size; at += kPiece) {
    sum = _mm_xor_si128(sum, _mm_load_si128(reinterpret_cast<const __m128i*>(block + at)));
  }
  sink = static_cast<std::uint64_t>(_mm_cvtsi128_si64(sum));
}

void ntstore(char* block, std::uint64_t size) {
  const __m128i value = _mm_set1_epi8(0x5a);
  for (std::uint64_t at = 0; at < size; at += kPiece) _mm_stream_si128(reinterpret_cast<__m128i*>(block + at), value);
}

[[gnu::target("clwb")]] void store_clwb(char* block, std::uint64_t size) {
  const __m128i value = _mm_set1_epi8(0x5a);
  for (std::uint64_t line = 0; line < size; line += kLine) {
    for (std::uint64_t at = line; at < line + kLine; at += kPiece) {
      _mm_store_si128(reinterpret_cast<__m128i*>(block + at), value);
    }
    _mm_clwb(block + line);
  }
}

template <class Access>
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
  const std::uint64_t bytes = argc == 4 ? std::strtoull(argv[2], nullptr, 10) : 0;
  if (bytes < (1u << 20)) {
    std::fputs("usage: pmtwin-plain-accesses DIRECTORY BYTES SEED\n", stderr);
    return 2;
  }
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
    const bool random = pattern == "random";
    const auto run = [&](auto access) { return mib_s(access, memory, bytes, random, size, seconds, state); };
    if (operation == "load") {
      std::cout << run(load) << std::endl;
    } else {
      std::cout << (operation == "ntstore" ? run(ntstore) : run(store_clwb)) << std::endl;
    }
  }
  return 0;
}
