#include "native_probe/kv_access/instruction_steps.h"

#include <gtest/gtest.h>
#include <immintrin.h>

#include <array>

namespace pmtwin::probe {
namespace {

Instruction of(std::array<unsigned char, 15> code) { return recognise(code.data()); }

TEST(Recognise, FlushesAndFences) {
  EXPECT_EQ(of({0x66, 0x0F, 0xAE, 0x30}).kind, InstructionKind::flush);              // clwb [rax]
  EXPECT_EQ(of({0x66, 0x41, 0x0F, 0xAE, 0x34, 0x24}).kind, InstructionKind::flush);  // clwb [r12]
  EXPECT_EQ(of({0x66, 0x0F, 0xAE, 0x38}).kind, InstructionKind::flush);              // clflushopt [rax]
  EXPECT_EQ(of({0x0F, 0xAE, 0x38}).kind, InstructionKind::flush);                    // clflush [rax]
  EXPECT_EQ(of({0x0F, 0xAE, 0xF8}).kind, InstructionKind::fence);                    // sfence
}

TEST(Recognise, WhatLooksLikeThemIsNot) {
  EXPECT_EQ(of({0x0F, 0xAE, 0xF0}).kind, InstructionKind::other);        // mfence
  EXPECT_EQ(of({0x0F, 0xAE, 0x30}).kind, InstructionKind::other);        // xsaveopt [rax]
  EXPECT_EQ(of({0x66, 0x0F, 0xAE, 0xF1}).kind, InstructionKind::other);  // tpause ecx
  EXPECT_EQ(of({0xC5, 0xFD, 0x7F, 0x07}).kind, InstructionKind::other);  // vmovdqa [rdi], ymm0
}

TEST(Recognise, StreamingStoresWithTheirWidth) {
  EXPECT_EQ(of({0x0F, 0xC3, 0x07}).bytes, 4u);                                // movnti [rdi], eax
  EXPECT_EQ(of({0x48, 0x0F, 0xC3, 0x07}).bytes, 8u);                          // movnti [rdi], rax
  EXPECT_EQ(of({0x66, 0x0F, 0xE7, 0x07}).bytes, 16u);                         // movntdq [rdi], xmm0
  EXPECT_EQ(of({0xC5, 0xFD, 0xE7, 0x07}).bytes, 32u);                         // vmovntdq [rdi], ymm0
  EXPECT_EQ(of({0xC4, 0xC1, 0x7D, 0xE7, 0x00}).bytes, 32u);                   // vmovntdq [r8], ymm0
  EXPECT_EQ(of({0x62, 0xF1, 0x7D, 0x48, 0xE7, 0x07}).bytes, 64u);             // vmovntdq [rdi], zmm0
}

TEST(Step, CountsWhatRan) {
  alignas(64) static std::array<int, 16> line{};
  const InstructionCounts counts = step([] {
    for (int index = 0; index < 3; ++index) {
      _mm_stream_si32(line.data() + index, index);
      _mm_clflush(line.data());
    }
    _mm_sfence();
  });
  EXPECT_EQ(counts.flushes, 3u);
  EXPECT_EQ(counts.fences, 1u);
  EXPECT_EQ(counts.streamed_bytes, 12u);
  EXPECT_GT(counts.instructions, 10u);
}

TEST(Step, ARepeatedStringInstructionIsOne) {
  static std::array<char, 4096> from{}, to{};
  const auto copy = [](std::size_t bytes) {
    return step([=] {
             const char* source = from.data();
             char* target = to.data();
             std::size_t left = bytes;
             asm volatile("rep movsb" : "+S"(source), "+D"(target), "+c"(left)::"memory");
           })
        .instructions;
  };
  EXPECT_EQ(copy(4096), copy(16));
}

TEST(Step, AnExceptionLeavesTheThreadUnstepped) {
  EXPECT_THROW(step([] { throw 1; }), int);
  EXPECT_EQ(step([] { _mm_sfence(); }).fences, 1u);
}

}  // namespace
}  // namespace pmtwin::probe
