// One cache line read or written, by exactly the instructions that are named.
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

// 64 bytes aligned to 64, which every store writes; tests look for them.
extern const unsigned char kStoredLine[kLineBytes];

template <Vector V>
inline void load_line(const char* line) {
  if constexpr (V == Vector::kAvx512) {
    asm volatile("vmovdqa64 (%0), %%zmm0" : : "r"(line) : "xmm0", "memory");
  } else if constexpr (V == Vector::kAvx2) {
    asm volatile("vmovdqa (%0), %%ymm0\n\tvmovdqa 32(%0), %%ymm1" : : "r"(line) : "xmm0", "xmm1", "memory");
  } else {
    asm volatile("movdqa (%0), %%xmm0\n\tmovdqa 16(%0), %%xmm1\n\tmovdqa 32(%0), %%xmm0\n\tmovdqa 48(%0), %%xmm1"
                 :
                 : "r"(line)
                 : "xmm0", "xmm1", "memory");
  }
}

// Loads what it stores from kStoredLine, which stays in the first-level cache.
#define PMTWIN_STORE_LINE(avx512, avx, sse)                                                                            \
  if constexpr (V == Vector::kAvx512) {                                                                                \
    asm volatile("vmovdqa64 (%1), %%zmm0\n\t" avx512 " %%zmm0, (%0)"                                                   \
                 :                                                                                                     \
                 : "r"(line), "r"(kStoredLine)                                                                         \
                 : "xmm0", "memory");                                                                                  \
  } else if constexpr (V == Vector::kAvx2) {                                                                           \
    asm volatile("vmovdqa (%1), %%ymm0\n\tvmovdqa 32(%1), %%ymm1\n\t" avx " %%ymm0, (%0)\n\t" avx " %%ymm1, 32(%0)"    \
                 :                                                                                                     \
                 : "r"(line), "r"(kStoredLine)                                                                         \
                 : "xmm0", "xmm1", "memory");                                                                          \
  } else {                                                                                                             \
    asm volatile("movdqa (%1), %%xmm0\n\tmovdqa 16(%1), %%xmm1\n\t" sse " %%xmm0, (%0)\n\t" sse                        \
                 " %%xmm1, 16(%0)\n\tmovdqa 32(%1), %%xmm0\n\tmovdqa 48(%1), %%xmm1\n\t" sse " %%xmm0, 32(%0)\n\t" sse \
                 " %%xmm1, 48(%0)"                                                                                     \
                 :                                                                                                     \
                 : "r"(line), "r"(kStoredLine)                                                                         \
                 : "xmm0", "xmm1", "memory");                                                                          \
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

template <Flush F>
inline void flush_line(char* line) {
  if constexpr (F == Flush::kClwb) {
    asm volatile("clwb (%0)" : : "r"(line) : "memory");
  } else if constexpr (F == Flush::kClflushopt) {
    asm volatile("clflushopt (%0)" : : "r"(line) : "memory");
  } else {
    asm volatile("clflush (%0)" : : "r"(line) : "memory");
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
