#include "native_probe/kernels.h"

#include <utility>

#include "native_probe/access.h"
#include "native_probe/clock.h"

namespace pmtwin::probe {

alignas(kLineBytes) const char kStoredLine[kLineBytes] = {
    0x5a, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f,
    0x5a, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f,
    0x5a, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e, 0x2f,
    0x5a, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3a, 0x3b, 0x3c, 0x3d, 0x3e, 0x3f};

namespace {

template <Operation O, Vector V, Flush F>
[[gnu::always_inline]] inline void access_line(char* line) {
  if constexpr (O == Operation::kLoad) {
    load_line<V>(line);
  } else if constexpr (O == Operation::kNtstore) {
    store_line_nontemporal<V>(line);
  } else {
    store_line<V>(line);
    if constexpr (O == Operation::kStoreClwb) flush_line<F>(line);
  }
}

template <Operation O, Vector V, Flush F, std::size_t... I>
[[gnu::always_inline]] inline void access_lines(char* block, std::index_sequence<I...>) {
  (access_line<O, V, F>(block + I * kLineBytes), ...);
}

// Eight lines a turn: with fewer, streams are a few percent slower (prefetchers go by the address of the instruction).
template <Operation O, Vector V, Flush F>
[[gnu::always_inline]] inline void access_block(char* block, std::uint64_t bytes) {
  char* const end = block + bytes;
  for (; end - block >= static_cast<std::ptrdiff_t>(8 * kLineBytes); block += 8 * kLineBytes) {
    access_lines<O, V, F>(block, std::make_index_sequence<8>());
  }
  if (end - block >= static_cast<std::ptrdiff_t>(4 * kLineBytes)) {
    access_lines<O, V, F>(block, std::make_index_sequence<4>());
    block += 4 * kLineBytes;
  }
  for (; block != end; block += kLineBytes) access_line<O, V, F>(block);
}

template <Operation O, Vector V, Flush F>
[[gnu::always_inline]] inline void write_block(char* block, const Accesses& accesses, Progress& progress) {
  if (accesses.fence_interval_bytes == 0) {
    access_block<O, V, F>(block, accesses.access_bytes);
    return;
  }
  for (std::uint64_t at = 0; at < accesses.access_bytes; at += kLineBytes) {
    access_line<O, V, F>(block + at);
    progress.unfenced_bytes += kLineBytes;
    if (progress.unfenced_bytes >= accesses.fence_interval_bytes) {
      store_fence();
      progress.unfenced_bytes = 0;
    }
  }
}

// Works on copies of the caller's state, which stay in registers: read and written in memory, they would make each
// access wait for the one before it.
template <Operation O, Vector V, Flush F, bool Mixed>
void run(char* region, Offsets& offsets, const Accesses& asked, std::uint64_t count, Progress& progress) {
  Offsets walk = offsets;
  Progress state = progress;
  const Accesses accesses = asked;
  if constexpr (!Mixed) {  // block by block, choosing the next one would be most of the instructions
    if (walk.contiguous() && accesses.fence_interval_bytes == 0) {
      for (std::uint64_t done = 0; done < count;) {
        const Offsets::Run stretch = walk.next_run(count - done);
        access_block<O, V, F>(region + stretch.offset, stretch.blocks * accesses.access_bytes);
        done += stretch.blocks;
      }
      count = 0;
    }
  }
  // The share as a fraction of 2^32; an access writes when adding it carries over, which spreads the writes evenly.
  const auto share = static_cast<std::uint64_t>(accesses.write_ratio * 4294967296.0);
  for (std::uint64_t i = 0; i < count; ++i) {
    char* const block = region + walk.next();
    bool write = O != Operation::kLoad;
    if constexpr (Mixed) {
      const std::uint64_t phase = state.write_phase + share;
      write = (phase >> 32) != 0;
      state.write_phase = static_cast<std::uint32_t>(phase);
    }
    if (write) {
      write_block<O, V, F>(block, accesses, state);
    } else {
      access_block<Operation::kLoad, V, F>(block, accesses.access_bytes);
    }
  }
  offsets = walk;
  progress = state;
  leave_wide_registers<V>();
}

template <Operation O, Vector V, Flush F>
void run_timed(char* region, Offsets& offsets, std::uint64_t access_bytes, std::uint64_t count, const Timing& timing,
               Histogram& latencies) {
  for (std::uint64_t i = 0; i < count; ++i) {
    char* const block = region + offsets.next();
    if (timing.cached) access_block<Operation::kLoad, V, F>(block, access_bytes);
    const std::uint64_t begin = stamp_begin();
    access_block<O, V, F>(block, access_bytes);
    if constexpr (O != Operation::kLoad) full_fence();
    const std::uint64_t ticks = stamp_end() - begin;
    latencies.record(ticks > timing.overhead_ticks ? ticks - timing.overhead_ticks : 0);
  }
  leave_wide_registers<V>();
}

// Calls `make` with the operation, the vectors and the flush as constants; only store_clwb has a flush to choose.
template <class Make>
auto with_constants(Operation operation, const Isa& isa, Make make) {
  const auto flush = [&]<Operation O, Vector V>() {
    if constexpr (O == Operation::kStoreClwb) {
      if (isa.flush == Flush::kClflush) return make.template operator()<O, V, Flush::kClflush>();
      if (isa.flush == Flush::kClflushopt) return make.template operator()<O, V, Flush::kClflushopt>();
    }
    return make.template operator()<O, V, Flush::kClwb>();
  };
  const auto vector = [&]<Operation O>() {
    if (isa.vector == Vector::kAvx512) return flush.template operator()<O, Vector::kAvx512>();
    if (isa.vector == Vector::kAvx2) return flush.template operator()<O, Vector::kAvx2>();
    return flush.template operator()<O, Vector::kSse2>();
  };
  switch (operation) {
    case Operation::kNtstore:
      return vector.template operator()<Operation::kNtstore>();
    case Operation::kStoreClwb:
      return vector.template operator()<Operation::kStoreClwb>();
    case Operation::kStore:
      return vector.template operator()<Operation::kStore>();
    case Operation::kLoad:
      break;
  }
  return vector.template operator()<Operation::kLoad>();
}

}  // namespace

std::string name_of(Operation operation) {
  switch (operation) {
    case Operation::kLoad:
      return "load";
    case Operation::kNtstore:
      return "ntstore";
    case Operation::kStoreClwb:
      return "store_clwb";
    case Operation::kStore:
      return "store";
  }
  return "";
}

Kernel kernel_of(Operation operation, const Isa& isa, bool mixed) {
  return with_constants(operation, isa, [mixed]<Operation O, Vector V, Flush F>() -> Kernel {
    if constexpr (O == Operation::kLoad) return run<O, V, F, false>;
    return mixed ? run<O, V, F, true> : run<O, V, F, false>;
  });
}

TimedKernel timed_kernel_of(Operation operation, const Isa& isa) {
  return with_constants(operation, isa,
                        []<Operation O, Vector V, Flush F>() -> TimedKernel { return run_timed<O, V, F>; });
}

}  // namespace pmtwin::probe
