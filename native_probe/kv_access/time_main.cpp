// pmtwin-kv-time: how long gets and puts of pmemkv's cmap take, and what the memory beneath them does by itself; Google
// Benchmark's JSON. Cases:
//   kv/get/cold/value:S/threads:N    values in random order, from a store larger than the caches
//   kv/get/hot/value:S/threads:N     each thread the same few values again and again: the processor's part (with
//                                    PMEM_NO_FLUSH=1 and PMEM_NO_MOVNT=1 in the environment, of puts as well)
//   memory/OPERATION/...             random accesses to memory mapped in the same way, in the form `pmtwin calibrate` reads
// Counter operation_ns (of kv): time of one operation of one thread, mean over the threads.

#include <benchmark/benchmark.h>
#include <libpmem.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "native/common/errors.h"
#include "native/common/program.h"
#include "native/common/program_options.h"
#include "native_probe/kv_access/dataset.h"
#include "native_probe/kv_access/memory_region.h"
#include "native_probe/kv_access/operation_counts.h"
#include "native_probe/kv_access/restart.h"

namespace {

using namespace pmtwin;
using namespace pmtwin::probe;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kHotValues = 4;
constexpr std::uint64_t kMostValueBytes = 16ull << 20;

struct Setting {
  std::string directory;
  std::uint64_t key_bytes;
  std::uint64_t total_bytes;
};

Setting g_setting;
std::unique_ptr<Dataset> g_dataset;
std::unique_ptr<MemoryRegion> g_region;

double elapsed_ns(Clock::time_point since) { return std::chrono::duration<double, std::nano>(Clock::now() - since).count(); }

void run_kv(benchmark::State& state, bool put, bool hot) {
  Dataset& data = *g_dataset;
  std::vector<char> value(std::max<std::uint64_t>(1, data.value_bytes()), 'w');
  const auto threads = static_cast<std::uint64_t>(state.threads());
  // repetitions go on where the last ended: starting over would find the first values in the caches
  static std::atomic<std::uint64_t> g_walked{0};
  std::uint64_t walk = g_walked + data.count() / threads * static_cast<std::uint64_t>(state.thread_index());
  std::uint64_t done = 0;
  for (std::uint64_t index = 0; index < kHotValues && hot; ++index) data.store().get(data.key(walk + index), value.data());
  const auto begin = Clock::now();
  for (auto _ : state) {
    const std::string_view key = data.key(hot ? walk + done % kHotValues : walk + done);
    if (put) {
      data.store().put(key, {value.data(), data.value_bytes()});
    } else {
      benchmark::DoNotOptimize(data.store().get(key, value.data()));
    }
    ++done;
  }
  const double nanoseconds = elapsed_ns(begin);
  if (state.thread_index() == 0) g_walked += done;
  state.counters["operation_ns"] = benchmark::Counter(nanoseconds / static_cast<double>(done), benchmark::Counter::kAvgThreads);
  state.counters["value_bytes"] = benchmark::Counter(static_cast<double>(data.value_bytes()), benchmark::Counter::kAvgThreads);
}

enum class Access { load, ntstore, store_clwb };

void run_bandwidth(benchmark::State& state, Access access, std::uint64_t bytes) {
  std::vector<char> buffer(bytes, 'm');
  std::minstd_rand random(static_cast<unsigned>(state.thread_index()) + 1);
  const std::uint64_t blocks = g_region->bytes() / bytes;
  std::uint64_t done = 0;
  const auto begin = Clock::now();
  for (auto _ : state) {
    char* block = g_region->data() + random() % blocks * bytes;
    if (access == Access::load) {
      std::memcpy(buffer.data(), block, bytes);
      benchmark::DoNotOptimize(buffer.data());
      benchmark::ClobberMemory();
    } else {
      const unsigned how = access == Access::ntstore ? PMEM_F_MEM_NONTEMPORAL : PMEM_F_MEM_TEMPORAL;
      pmem_memcpy(block, buffer.data(), bytes, how);
    }
    ++done;
  }
  const double mib = static_cast<double>(done * bytes) / (1 << 20);
  state.counters["bandwidth_mib_s"] = mib / (elapsed_ns(begin) * 1e-9);
  state.counters["access_size_bytes"] = benchmark::Counter(static_cast<double>(bytes), benchmark::Counter::kAvgThreads);
}

void run_chase(benchmark::State& state) {
  g_region->link_ring();
  char* at = g_region->data();
  std::uint64_t done = 0;
  const auto begin = Clock::now();
  for (auto _ : state) {
    std::memcpy(&at, at, sizeof at);
    benchmark::DoNotOptimize(at);
    ++done;
  }
  state.counters["latency_mean_ns"] = elapsed_ns(begin) / static_cast<double>(done);
  state.counters["access_size_bytes"] = kCacheLineBytes;
}

// A store to a random line that was read just before, flushed and fenced: the wait of one round of a put.
void run_persist(benchmark::State& state) {
  std::minstd_rand random(1);
  const std::uint64_t lines = g_region->bytes() / kMediaLineBytes;
  constexpr std::uint64_t kBatch = 64;
  double nanoseconds = 0;
  std::uint64_t done = 0;
  std::vector<char*> batch(kBatch);
  for (auto _ : state) {
    for (char*& line : batch) {
      line = g_region->data() + random() % lines * kMediaLineBytes;
      benchmark::DoNotOptimize(*static_cast<volatile char*>(line));
    }
    const auto begin = Clock::now();
    for (char* line : batch) {
      *static_cast<volatile char*>(line) = static_cast<char>(done);
      pmem_persist(line, kCacheLineBytes);
    }
    nanoseconds += elapsed_ns(begin);
    done += kBatch;
  }
  state.counters["latency_mean_ns"] = nanoseconds / static_cast<double>(done);
  state.counters["access_size_bytes"] = kCacheLineBytes;
}

void use_dataset(std::uint64_t value_bytes) {
  g_region.reset();
  if (g_dataset && g_dataset->value_bytes() == value_bytes) return;
  g_dataset.reset();
  g_dataset = std::make_unique<Dataset>(g_setting.directory, g_setting.key_bytes, value_bytes, g_setting.total_bytes);
}

void use_region() {
  g_dataset.reset();
  if (!g_region) g_region = std::make_unique<MemoryRegion>(g_setting.directory, g_setting.total_bytes);
}

void register_kv(std::uint64_t value_bytes, const std::vector<std::uint64_t>& threads) {
  for (const bool put : {false, true}) {
    const std::string operation = put ? "put" : "get";
    const auto prepare = [](const benchmark::State& state) { use_dataset(static_cast<std::uint64_t>(state.range(0))); };
    for (const bool hot : {false, true}) {
      for (const std::uint64_t count : threads) {
        benchmark::RegisterBenchmark(("kv/" + operation + (hot ? "/hot" : "/cold")).c_str(),
                                     [put, hot](benchmark::State& state) { run_kv(state, put, hot); })
            ->Setup(prepare)
            ->ArgName("value")
            ->Arg(static_cast<std::int64_t>(value_bytes))
            ->Threads(static_cast<int>(count))
            ->UseRealTime();
      }
    }
  }
}

void register_memory(const std::vector<std::uint64_t>& threads) {
  const auto prepare = [](const benchmark::State&) { use_region(); };
  const auto labelled = [](std::string label, auto body) {
    return [label, body](benchmark::State& state) {
      body(state);
      state.SetLabel(label);
    };
  };
  const std::pair<const char*, Access> accesses[] = {
      {"load", Access::load}, {"ntstore", Access::ntstore}, {"store_clwb", Access::store_clwb}};
  for (const auto& [name, access] : accesses) {
    const std::string label = std::string("operation=") + name + " pattern=random";
    for (std::uint64_t bytes = 64; bytes <= (1u << 20); bytes *= 4) {
      for (const std::uint64_t count : threads) {
        benchmark::RegisterBenchmark(("memory/" + std::string(name) + "/bytes:" + std::to_string(bytes)).c_str(),
                                     labelled(label, [access = access, bytes](benchmark::State& state) {
                                       run_bandwidth(state, access, bytes);
                                     }))
            ->Setup(prepare)
            ->Threads(static_cast<int>(count))
            ->UseRealTime();
      }
    }
  }
  benchmark::RegisterBenchmark("memory/load/latency", labelled("operation=load pattern=random", run_chase))->Setup(prepare);
  benchmark::RegisterBenchmark("memory/store_clwb/latency", labelled("operation=store_clwb pattern=random", run_persist))
      ->Setup(prepare);
}

int run(int argc, char** argv) {
  std::vector<char*> restart(argv, argv + argc);
  restart.push_back(nullptr);
  std::vector<char*> library, own{argv[0]};
  for (int index = 0; index < argc; ++index) {
    const bool of_library = index == 0 || std::string_view(argv[index]).starts_with("--benchmark_");
    if (of_library) library.push_back(argv[index]);
    if (index > 0 && !of_library) own.push_back(argv[index]);
  }
  const ProgramOptions options(static_cast<int>(own.size()), own.data(),
                        {{"path", "/dev/shm"}, {"values", "64,1024,16384,262144"}, {"keys", "16"}, {"threads", "1"},
                         {"total_mib", "512"}, {"memory", "1"}});
  g_setting = {options.text("path"), options.number("keys", 8, 4096), options.number("total_mib", 16, 1u << 20) << 20};
  const auto threads = options.numbers("threads", 1, 256);
  const auto values = options.numbers("values", 0, kMostValueBytes);
  restart_as_persistent(restart.data(), g_setting.directory);
  { const ScratchFolder checked(g_setting.directory, 0); }  // a bad path is told before anything is measured
  if (options.number("memory", 0, 1) != 0) register_memory(threads);
  for (const std::uint64_t value_bytes : values) register_kv(value_bytes, threads);
  int library_argc = static_cast<int>(library.size());
  benchmark::Initialize(&library_argc, library.data());
  benchmark::AddCustomContext("pmemkv_version", PMTWIN_PMEMKV_VERSION);
  benchmark::AddCustomContext("store", "pmemkv cmap");
  benchmark::AddCustomContext("key_bytes", std::to_string(g_setting.key_bytes));
  benchmark::AddCustomContext("total_bytes", std::to_string(g_setting.total_bytes));
  benchmark::AddCustomContext("media", is_memory_file_system(g_setting.directory) ? "dram" : "pmem");
  benchmark::AddCustomContext("flushing", std::getenv("PMEM_NO_FLUSH") != nullptr ? "off" : "on");
  benchmark::RunSpecifiedBenchmarks();
  g_dataset.reset();
  g_region.reset();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return exit_code_of("pmtwin-kv-time", [&] { return run(argc, argv); });
}
