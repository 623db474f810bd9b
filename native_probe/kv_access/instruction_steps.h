#pragma once

#include <cstdint>
#include <functional>

namespace pmtwin::probe {

// Instructions that this processor really executed: counted by single-stepping this very thread (the trap flag; SIGTRAP
// looks at each instruction before it runs). Knows nothing of libpmem: an independent check of what was written down
// at libpmem's door. About 1 to 2 us an instruction.
struct InstructionCounts {
  std::uint64_t instructions = 0;
  std::uint64_t flushes = 0;         // clwb, clflushopt, clflush
  std::uint64_t fences = 0;          // sfence
  std::uint64_t streamed_bytes = 0;  // movnt stores of all widths
};

// Runs `operation` in this thread, single-stepped. One at a time in a process.
InstructionCounts step(const std::function<void()>& operation);

enum class InstructionKind { other, flush, fence, stream };
struct Instruction {
  InstructionKind kind = InstructionKind::other;
  unsigned bytes = 0;  // that a streaming store writes
};

// Recognises the instructions above in at most 15 bytes of x86-64 code.
Instruction recognise(const unsigned char* code);

}  // namespace pmtwin::probe
