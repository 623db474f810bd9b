#include "native_probe/kv_access/load_trace.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <stdexcept>
#include <unordered_map>

#include "native_probe/kv_access/instruction_steps.h"

namespace pmtwin::probe {
namespace {

constexpr std::uint64_t kObjectBytes = 512;  // a pointer leads to the start of an object of at most this size
constexpr double kSharedShare = 0.25;

// A line of an operation's trace, at one granularity, with the cache lines of it that were touched.
struct MediaLine {
  std::uintptr_t address;
  std::vector<std::uintptr_t> cache_lines;
  bool of_value;
  int depth = 1;
};

bool points_into(Range pool, std::uintptr_t cache_line, std::uintptr_t target) {
  const std::uint64_t goal = target - pool.begin;
  for (std::uint64_t word = 0; word < kCacheLineBytes; word += sizeof(std::uint64_t)) {
    std::uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(cache_line + word), sizeof value);
    const bool near = value != 0 && value < goal + kMediaLineBytes && value + kObjectBytes > goal;
    if (near) return true;
  }
  return false;
}

std::vector<std::uintptr_t> lines_read(const std::vector<PoolAccess>& accesses) {
  std::vector<std::uintptr_t> order;
  std::set<std::uintptr_t> seen;
  for (const PoolAccess& access : accesses) {
    const std::uintptr_t line = access.address / kCacheLineBytes * kCacheLineBytes;
    if (access.kind != PoolAccess::Kind::stream && seen.insert(line).second) order.push_back(line);
  }
  return order;
}

bool overlaps(std::uintptr_t line, Range value) {
  return value.begin < line + kCacheLineBytes && line < value.end;
}

// Of the one operation that is traced. The handlers run between its instructions, in its own thread.
constexpr std::uintptr_t kPageBytes = 4096;
constexpr long kTrapFlag = 0x100;
constexpr long kWriteFault = 0x2;  // bit of the page fault's error code
std::vector<PoolAccess> g_accesses;

// A copy by `rep movsb` comes here with each byte: what an instruction does several times in a row in one line counts once.
struct Step {
  const unsigned char* code = nullptr;
  std::uintptr_t line = 0;
  PoolAccess::Kind kind = PoolAccess::Kind::load;
  bool operator==(const Step&) const = default;
};
Step g_last;
Range g_pool;
std::array<std::uintptr_t, 8> g_open_pages;
std::size_t g_open_count = 0;

void protect(std::uintptr_t begin, std::uintptr_t bytes, int protection) {
  if (mprotect(reinterpret_cast<void*>(begin), bytes, protection) != 0) _exit(70);  // nothing can be thrown here
}

extern "C" void note_access(int signal_number, siginfo_t* info, void* context) {
  auto* machine = static_cast<ucontext_t*>(context);
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (!g_pool.holds(address) || g_open_count == g_open_pages.size()) {
    signal(signal_number, SIG_DFL);  // a fault that is none of ours
    return;
  }
  const auto* code = reinterpret_cast<const unsigned char*>(machine->uc_mcontext.gregs[REG_RIP]);
  const bool stores = (machine->uc_mcontext.gregs[REG_ERR] & kWriteFault) != 0;
  PoolAccess::Kind kind = stores ? PoolAccess::Kind::store : PoolAccess::Kind::load;
  const InstructionKind instruction = recognise(code).kind;
  if (instruction == InstructionKind::stream) kind = PoolAccess::Kind::stream;
  const Step step{code, address / kCacheLineBytes, kind};
  // a flush of a closed page faults like a load, but moves nothing in
  if (instruction != InstructionKind::flush && step != g_last && g_accesses.size() < kMostAccesses) {
    g_accesses.push_back({address, kind});
  }
  g_last = step;
  const std::uintptr_t page = address / kPageBytes * kPageBytes;
  protect(page, kPageBytes, PROT_READ | PROT_WRITE);
  g_open_pages[g_open_count++] = page;
  machine->uc_mcontext.gregs[REG_EFL] |= kTrapFlag;
}

extern "C" void close_pages(int, siginfo_t*, void* context) {
  while (g_open_count > 0) protect(g_open_pages[--g_open_count], kPageBytes, PROT_NONE);
  static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] &= ~kTrapFlag;
}

class ClosedPool {
 public:
  explicit ClosedPool(Range pool) {
    g_pool = pool;
    g_open_count = 0;
    handle(SIGSEGV, note_access, segv_);
    handle(SIGTRAP, close_pages, trap_);
    protect(pool.begin, pool.end - pool.begin, PROT_NONE);
  }
  ~ClosedPool() {
    protect(g_pool.begin, g_pool.end - g_pool.begin, PROT_READ | PROT_WRITE);
    sigaction(SIGSEGV, &segv_, nullptr);
    sigaction(SIGTRAP, &trap_, nullptr);
  }
  ClosedPool(const ClosedPool&) = delete;
  ClosedPool& operator=(const ClosedPool&) = delete;

 private:
  static void handle(int number, void (*handler)(int, siginfo_t*, void*), struct sigaction& previous) {
    struct sigaction action {};
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO;
    if (sigaction(number, &action, &previous) != 0) throw std::runtime_error("signals cannot be handled");
  }

  struct sigaction segv_ {}, trap_ {};
};

}  // namespace

std::vector<PoolAccess> trace_pool(Range pool, const std::function<void()>& operation) {
  g_accesses.clear();
  g_last = {};
  g_accesses.reserve(kMostAccesses);
  {
    const ClosedPool closed(pool);
    operation();
  }
  if (g_accesses.size() == kMostAccesses) throw std::runtime_error("an operation touched the pool too often to be traced");
  return g_accesses;
}

LoadCounts analyse_loads(const std::vector<std::vector<PoolAccess>>& operations, const std::vector<Range>& values,
                         Range pool) {
  std::unordered_map<std::uintptr_t, unsigned> touched_by;
  for (const auto& accesses : operations) {
    for (const std::uintptr_t line : lines_read(accesses)) ++touched_by[line];
  }
  const double shared_from = kSharedShare * static_cast<double>(operations.size());
  LoadCounts sum;
  for (std::size_t index = 0; index < operations.size(); ++index) {
    std::vector<MediaLine> cold;
    for (const std::uintptr_t line : lines_read(operations[index])) {
      if (overlaps(line, values.at(index))) {
        ++sum.value_lines;
      } else if (touched_by[line] > shared_from) {
        ++sum.shared_lines;
        continue;
      } else {
        ++sum.cold_lines;
      }
      const bool of_value = overlaps(line, values[index]);
      const std::uintptr_t media = line / kMediaLineBytes * kMediaLineBytes;
      const auto known = std::find_if(cold.begin(), cold.end(), [&](const MediaLine& each) {
        return each.address == media || (of_value && each.of_value);  // a value streams in behind its first line
      });
      if (known != cold.end()) {
        if (known->address == media) known->cache_lines.push_back(line);
        continue;
      }
      MediaLine fresh{media, {line}, of_value};
      for (const MediaLine& earlier : cold) {
        const bool leads = std::any_of(
            earlier.cache_lines.begin(), earlier.cache_lines.end(), [&](std::uintptr_t from) {
              return !earlier.of_value && points_into(pool, from, media);
            });
        if (leads) fresh.depth = std::max(fresh.depth, earlier.depth + 1);
      }
      cold.push_back(std::move(fresh));
    }
    int depth = 0;
    for (const MediaLine& line : cold) {
      depth = std::max(depth, line.depth);
      if (!line.of_value) ++sum.cold_media_lines;
    }
    sum.dependent_reads += depth;
  }
  const double count = std::max<double>(1.0, static_cast<double>(operations.size()));
  for (double* field : {&sum.shared_lines, &sum.cold_lines, &sum.cold_media_lines, &sum.value_lines,
                        &sum.dependent_reads}) {
    *field /= count;
  }
  return sum;
}

}  // namespace pmtwin::probe
