#include "native_probe/kv_access/instruction_steps.h"

#include <signal.h>
#include <ucontext.h>

#include <stdexcept>

namespace pmtwin::probe {
namespace {

struct Prefixes {
  bool operand_size = false;  // 66
  bool repeat = false;        // F2, F3
  bool rex_w = false;
};

const unsigned char* skip_prefixes(const unsigned char* code, Prefixes& found) {
  for (;; ++code) {
    switch (*code) {
      case 0x66: found.operand_size = true; continue;
      case 0xF2: case 0xF3: found.repeat = true; continue;
      case 0xF0: case 0x2E: case 0x36: case 0x3E: case 0x26: case 0x64: case 0x65: case 0x67: continue;
      default: break;
    }
    break;
  }
  if ((*code & 0xF0) == 0x40) found.rex_w = (*code++ & 0x08) != 0;
  return code;
}

bool in_memory(unsigned char modrm) { return (modrm & 0xC0) != 0xC0; }

bool is_streaming_opcode(unsigned char opcode) { return opcode == 0xE7 || opcode == 0x2B; }  // movntdq, movntps/pd

Instruction legacy(const unsigned char* opcode, const Prefixes& prefixes) {
  if (opcode[0] != 0x0F) return {};
  const unsigned char modrm = opcode[2];
  const unsigned group = (modrm >> 3) & 7u;
  if (opcode[1] == 0xAE && !prefixes.repeat) {
    if (modrm == 0xF8 && !prefixes.operand_size) return {InstructionKind::fence, 0};
    if (in_memory(modrm) && group == 7) return {InstructionKind::flush, 0};                          // clflush(opt)
    if (in_memory(modrm) && group == 6 && prefixes.operand_size) return {InstructionKind::flush, 0};  // clwb
    return {};
  }
  if (!in_memory(modrm)) return {};
  if (opcode[1] == 0xC3) return {InstructionKind::stream, prefixes.rex_w ? 8u : 4u};  // movnti
  if (opcode[1] == 0xE7) return {InstructionKind::stream, prefixes.operand_size ? 16u : 8u};
  if (opcode[1] == 0x2B) return {InstructionKind::stream, 16};
  return {};
}

}  // namespace

Instruction recognise(const unsigned char* code) {
  if (code[0] == 0xC5 && is_streaming_opcode(code[2])) return {InstructionKind::stream, code[1] & 0x04 ? 32u : 16u};
  if (code[0] == 0xC4 && (code[1] & 0x1F) == 1 && is_streaming_opcode(code[3])) {
    return {InstructionKind::stream, code[2] & 0x04 ? 32u : 16u};
  }
  if (code[0] == 0x62 && (code[1] & 0x07) == 1 && is_streaming_opcode(code[4])) {
    return {InstructionKind::stream, 16u << ((code[3] >> 5) & 3u)};
  }
  if (code[0] == 0xC5 || code[0] == 0xC4 || code[0] == 0x62) return {};
  Prefixes prefixes;
  const unsigned char* opcode = skip_prefixes(code, prefixes);
  return legacy(opcode, prefixes);
}

namespace {

// State of the operation that is stepped; touched by the handler alone while it runs.
InstructionCounts g_counts;
std::uintptr_t g_before = 0;

extern "C" void count_instruction(int, siginfo_t*, void* context) {
  const auto* machine = static_cast<const ucontext_t*>(context);
  const auto at = static_cast<std::uintptr_t>(machine->uc_mcontext.gregs[REG_RIP]);
  // `rep movsb` stops after each byte with its own address again: one instruction all the same
  if (at == g_before) return;
  g_before = at;
  const Instruction instruction = recognise(reinterpret_cast<const unsigned char*>(at));
  ++g_counts.instructions;
  g_counts.flushes += instruction.kind == InstructionKind::flush;
  g_counts.fences += instruction.kind == InstructionKind::fence;
  g_counts.streamed_bytes += instruction.bytes;
}

constexpr unsigned long kTrapFlag = 0x100;

// The red zone below the stack pointer is the compiler's own: pushf must not write there.
[[gnu::noinline]] void set_trap_flag(bool on) {
  if (on) {
    asm volatile("subq $128, %%rsp; pushfq; orq %0, (%%rsp); popfq; addq $128, %%rsp" ::"i"(kTrapFlag) : "memory", "cc");
  } else {
    asm volatile("subq $128, %%rsp; pushfq; andq %0, (%%rsp); popfq; addq $128, %%rsp" ::"i"(~kTrapFlag)
                 : "memory", "cc");
  }
}

class SteppedThread {
 public:
  SteppedThread() {
    struct sigaction action {};
    action.sa_sigaction = count_instruction;
    action.sa_flags = SA_SIGINFO;
    if (sigaction(SIGTRAP, &action, &previous_) != 0) throw std::runtime_error("SIGTRAP cannot be handled");
    set_trap_flag(true);
  }
  ~SteppedThread() {
    set_trap_flag(false);
    sigaction(SIGTRAP, &previous_, nullptr);
  }
  SteppedThread(const SteppedThread&) = delete;
  SteppedThread& operator=(const SteppedThread&) = delete;

 private:
  struct sigaction previous_ {};
};

}  // namespace

InstructionCounts step(const std::function<void()>& operation) {
  g_counts = {};
  g_before = 0;
  {
    const SteppedThread stepped;
    operation();
  }
  return g_counts;
}

}  // namespace pmtwin::probe
