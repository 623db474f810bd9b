#include "native_probe/kv_access/count_operations.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "native_probe/kv_access/instruction_steps.h"
#include "native_probe/kv_access/load_trace.h"
#include "native_probe/kv_access/operation_counts.h"
#include "native_probe/kv_access/persistence_log.h"
#include "native/common/errors.h"
#include "native/common/scratch_folder.h"
#include "native_probe/kv_access/store.h"

namespace pmtwin::probe {
namespace {

constexpr std::uint64_t kMostValues = 20000;
constexpr std::uint64_t kStride = 7919;  // a prime: keys of successive operations lie apart
// pmemkv's strings copy a value byte by byte: each is an access of its own.
constexpr std::uint64_t kMostTracedWriteBytes = 131072;
constexpr std::uint64_t kFillBytes = 128ull << 20;

// Values 0 .. present - 1 are in the store; from there on they are new.
struct Filled {
  std::uint64_t present;
  std::uint64_t spare;  // inserts that will follow
};

Filled plan_filling(const CountPlan& plan) {
  const std::uint64_t needed = 4 * (plan.repeats + plan.steps + plan.traced) + 64;
  const std::uint64_t fitting = kFillBytes / (plan.value_bytes + 256);
  return {std::max(needed, std::min(kMostValues, fitting)), needed};
}

Range place_of(Store& store, const std::string& key, std::uint64_t value_bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(store.value_address(key));
  return {begin, begin + value_bytes};
}

class Counter {
 public:
  Counter(const CountPlan& plan, const Filled& filled) : plan_(plan), filled_(filled) {}

  // Indices of the values that successive operations of a kind take: spread over those present, or new ones.
  std::uint64_t take(std::string_view operation) {
    if (operation == "insert") return filled_.present + inserted_++;
    return (taken_++ * kStride) % filled_.present;
  }

  Json means(Store& store, std::string_view operation) {
    OperationCounts sum;
    for (std::uint64_t index = 0; index < plan_.repeats; ++index) {
      const std::string key = key_of(take(operation), plan_.key_bytes);
      PersistenceLog log;
      perform(store, operation, key);
      const std::vector<PersistenceCall> calls = log.calls();
      sum += count(calls, place_of(store, key, plan_.value_bytes));
    }
    if (sum.synchronised_bytes > 0) {
      throw InputError("--path", plan_.directory, "persistent memory (DAX) or a memory file system", "is neither");
    }
    const OperationCounts mean = sum / static_cast<double>(plan_.repeats);
    return {
        {"flush_calls", mean.flush_calls},
        {"flushed_lines", mean.flushed_lines},
        {"streamed_bytes", mean.streamed_bytes},
        {"copied_bytes", mean.copied_bytes},
        {"fences", mean.fences},
        {"rounds", mean.rounds},
        {"media_lines", mean.media_lines},
        {"media_line_writes", mean.media_line_writes},
        {"value_bytes", mean.value_bytes},
        {"log_bytes", mean.log_bytes},
    };
  }

  // The instructions that ran, beside what libpmem was asked for in the very same operations.
  Json stepped(Store& store, std::string_view operation) {
    InstructionCounts sum;
    OperationCounts asked;
    for (std::uint64_t index = 0; index < plan_.steps; ++index) {
      const std::string key = key_of(take(operation), plan_.key_bytes);
      PersistenceLog log;
      const InstructionCounts each = step([&] { perform(store, operation, key); });
      const std::vector<PersistenceCall> calls = log.calls();
      asked += count(calls, place_of(store, key, plan_.value_bytes));
      sum.instructions += each.instructions;
      sum.flushes += each.flushes;
      sum.fences += each.fences;
      sum.streamed_bytes += each.streamed_bytes;
    }
    const auto steps = static_cast<double>(plan_.steps);
    return {
        {"instructions", static_cast<double>(sum.instructions) / steps},
        {"flushed_lines", static_cast<double>(sum.flushes) / steps},
        {"fences", static_cast<double>(sum.fences) / steps},
        {"streamed_bytes", static_cast<double>(sum.streamed_bytes) / steps},
        {"asked_flushed_lines", asked.flushed_lines / steps},
        {"asked_fences", asked.fences / steps},
        {"asked_streamed_bytes", asked.streamed_bytes / steps},
    };
  }

  Json traced(Store& store, std::string_view operation, Range pool) {
    std::vector<std::vector<PoolAccess>> accesses;
    std::vector<Range> values;
    for (std::uint64_t index = 0; index < plan_.traced; ++index) {
      const std::string key = key_of(take(operation), plan_.key_bytes);
      values.push_back(operation == "insert" ? Range{} : place_of(store, key, plan_.value_bytes));
      accesses.push_back(trace_pool(pool, [&] { perform(store, operation, key); }));
    }
    const LoadCounts loads = analyse_loads(accesses, values, pool);
    return {
        {"shared_lines", loads.shared_lines},
        {"cold_lines", loads.cold_lines},
        {"cold_media_lines", loads.cold_media_lines},
        {"value_lines", loads.value_lines},
        {"dependent_reads", loads.dependent_reads},
    };
  }

 private:
  void perform(Store& store, std::string_view operation, const std::string& key) {
    if (operation == "get") {
      store.get(key, value_.data());
    } else {
      store.put(key, value_);
    }
  }

  CountPlan plan_;
  Filled filled_;
  std::string value_ = std::string(plan_.value_bytes, 'w');
  std::uint64_t taken_ = 0;
  std::uint64_t inserted_ = 0;
};

}  // namespace

Json count_operations(const CountPlan& plan) {
  const Filled filled = plan_filling(plan);
  const std::uint64_t pool_bytes =
      Store::pool_bytes_for(filled.present + filled.spare, plan.value_bytes, plan.key_bytes);
  ScratchFolder scratch(plan.directory, pool_bytes);
  Store store(scratch.pool_path(), pool_bytes, Store::Mode::create);
  const auto [low, high] = mapping_of(scratch.pool_path());
  const Range pool{low, high};
  fill(store, filled.present, plan.key_bytes, plan.value_bytes);
  Counter counter(plan, filled);
  Json operations;
  for (const char* operation : {"get", "put", "insert"}) {
    Json of = {{"counted", counter.means(store, operation)}};
    if (plan.steps > 0) of["stepped"] = counter.stepped(store, operation);
    const bool too_many = std::string_view(operation) != "get" && plan.value_bytes > kMostTracedWriteBytes;
    if (plan.traced > 0 && !too_many) of["traced"] = counter.traced(store, operation, pool);
    operations[operation] = of;
  }
  return {{"key_bytes", plan.key_bytes}, {"value_bytes", plan.value_bytes}, {"operations", operations}};
}

}  // namespace pmtwin::probe
