// Reads and writes of a cache line, by exactly the named instructions.
//
// They are written in assembly and not as intrinsics for two reasons: the compiler may neither leave out a load whose
// value nobody uses nor merge two stores; and a function for a processor that has AVX-512 can stand in a file that is
// compiled for any x86-64, so that no other code is compiled for it by mistake. Registers 0 and 1 are named in their
// narrow form in the clobber lists; it stands for the whole register.
#pragma once

#include <cstddef>

#include "native_probe/isa.h"

namespace pmtwin::probe {

inline constexpr std::size_t kLineBytes = 64;

// 64 bytes aligned to 64, which every store writes; tests look for them. Not zeros: there are processors that write lines
// of zeros nearly twice as fast (AMD Zen 5, measured with ntstore), and a store's values are none.
extern const char kStoredLine[kLineBytes];

// The `bytes` from `at` on as one operand, so that the compiler addresses them from a register that it has already, and
// knows that nothing else is touched.
template <std::size_t bytes>
inline auto& part(char* at) {
  return *reinterpret_cast<char(*)[bytes]>(at);
}
template <std::size_t bytes>
inline const auto& part(const char* at) {
  return *reinterpret_cast<const char(*)[bytes]>(at);
}

template <Vector V>
inline void load_line(const char* line) {
  if constexpr (V == Vector::kAvx512) {
    asm volatile("vmovdqa64 %0, %%zmm0" : : "m"(part<64>(line)) : "xmm0");
  } else if constexpr (V == Vector::kAvx2) {
    asm volatile("vmovdqa %0, %%ymm0\n\tvmovdqa %1, %%ymm1"
                 :
                 : "m"(part<32>(line)), "m"(part<32>(line + 32))
                 : "xmm0", "xmm1");
  } else {
    asm volatile("movdqa %0, %%xmm0\n\tmovdqa %1, %%xmm1\n\tmovdqa %2, %%xmm0\n\tmovdqa %3, %%xmm1"
                 :
                 : "m"(part<16>(line)), "m"(part<16>(line + 16)), "m"(part<16>(line + 32)), "m"(part<16>(line + 48))
                 : "xmm0", "xmm1");
  }
}

// Loads what it stores from kStoredLine, which stays in the first-level cache.
#define PMTWIN_STORE_16(move, at)                               \
  asm volatile("movdqa %1, %%xmm0\n\t" move " %%xmm0, %0"       \
               : "=m"(part<16>(line + (at)))                    \
               : "m"(part<16>(kStoredLine + (at)))              \
               : "xmm0")
#define PMTWIN_STORE_LINE(avx512, avx, sse)                                                                        \
  if constexpr (V == Vector::kAvx512) {                                                                            \
    asm volatile("vmovdqa64 %1, %%zmm0\n\t" avx512 " %%zmm0, %0"                                                   \
                 : "=m"(part<64>(line))                                                                            \
                 : "m"(part<64>(kStoredLine))                                                                      \
                 : "xmm0");                                                                                        \
  } else if constexpr (V == Vector::kAvx2) {                                                                       \
    asm volatile("vmovdqa %2, %%ymm0\n\tvmovdqa %3, %%ymm1\n\t" avx " %%ymm0, %0\n\t" avx " %%ymm1, %1"           \
                 : "=m"(part<32>(line)), "=m"(part<32>(line + 32))                                                 \
                 : "m"(part<32>(kStoredLine)), "m"(part<32>(kStoredLine + 32))                                     \
                 : "xmm0", "xmm1");                                                                                \
  } else {                                                                                                         \
    PMTWIN_STORE_16(sse, 0);                                                                                       \
    PMTWIN_STORE_16(sse, 16);                                                                                      \
    PMTWIN_STORE_16(sse, 32);                                                                                      \
    PMTWIN_STORE_16(sse, 48);                                                                                      \
  }

template <Vector V>
inline void store_line(char* line) {
  PMTWIN_STORE_LINE("vmovdqa64", "vmovdqa", "movdqa")
}

template <Vector V>
inline void store_line_nontemporal(char* line) {
  PMTWIN_STORE_LINE("vmovntdq", "vmovntdq", "movntdq")
}

#undef PMTWIN_STORE_LINE
#undef PMTWIN_STORE_16

template <Flush F>
inline void flush_line(char* line) {
  if constexpr (F == Flush::kClwb) {
    asm volatile("clwb %0" : "+m"(part<kLineBytes>(line)));
  } else if constexpr (F == Flush::kClflushopt) {
    asm volatile("clflushopt %0" : "+m"(part<kLineBytes>(line)));
  } else {
    asm volatile("clflush %0" : "+m"(part<kLineBytes>(line)));
  }
}

inline void store_fence() {
  asm volatile("sfence" : : : "memory");
}
inline void full_fence() {
  asm volatile("mfence" : : : "memory");
}

// After wide registers were used: narrow code that follows would otherwise be slowed down (Intel SDM, 14.1.5).
template <Vector V>
inline void leave_wide_registers() {
  if constexpr (V != Vector::kSse2) asm volatile("vzeroupper" : : : "memory");
}

}  // namespace pmtwin::probe
