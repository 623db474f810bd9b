#include "middleware/durability/kill_rounds.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <thread>
#include <vector>

#include "middleware/core/middleware.h"
#include "middleware/durability/versions.h"
#include "middleware/durability/victim.h"
#include "middleware/engines/pmemkv_engine.h"
#include "middleware/engines/pool_file.h"

namespace pmtwin::middleware {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using steady = std::chrono::steady_clock;

constexpr std::uint64_t kClients = 16, kKeysOfClient = 50, kKeys = kClients * kKeysOfClient;
constexpr milliseconds kMostLoad{150};

// Seen by the child and by the parent, and still there when the child is killed.
struct Shared {
  std::atomic<bool> running;
  std::atomic<std::uint64_t> resizes;
  std::atomic<std::uint64_t> puts, removals;                          // acknowledged
  std::array<std::atomic<std::uint64_t>, kKeys> begun, acknowledged;  // last change of each key; 0: none
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

class SharedMemory {
 public:
  SharedMemory() {
    void* at = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
    shared_ = new (at) Shared{};
  }
  ~SharedMemory() { munmap(shared_, sizeof(Shared)); }
  Shared& operator*() const { return *shared_; }
  Shared* operator->() const { return shared_; }

 private:
  Shared* shared_;
};

PmemkvOptions options(const std::string& path, PmemkvOptions::Opening opening) {
  PmemkvOptions options;
  options.path = path;
  options.opening = opening;
  options.pool_bytes = pool_bytes_for(kKeys, 8, kMostVersionBytes);
  return options;
}

void ask_for_ever(Middleware& middleware, Shared& shared, std::uint64_t client) {
  for (std::uint64_t step = 0;; ++step) {
    const std::uint64_t key = client + kClients * (step % kKeysOfClient);
    const std::uint64_t version = shared.begun[key] + 1;
    shared.begun[key] = version;
    const auto mode = static_cast<Mode>(step % 2);
    const bool removal = is_removal(version);
    const std::string name = std::to_string(key);
    const Status status =
        removal ? middleware.remove(name, mode) : middleware.put(name, versioned_value(key, version), mode);
    // A put that was begun before the last kill may not have been made: nothing to remove then.
    if (status != Status::kOk && !(removal && status == Status::kNotFound)) _exit(2);
    shared.acknowledged[key] = version;
    ++(removal ? shared.removals : shared.puts);
  }
}

void load_until_killed(const std::string& path, Shared& shared, std::uint64_t seed) {
  Options settings;
  settings.window = milliseconds(5);
  Middleware middleware(settings);
  middleware.start(std::make_shared<PmemkvEngine>(options(path, PmemkvOptions::Opening::kOpen)), 4, 4);
  std::vector<std::thread> clients;
  for (std::uint64_t client = 0; client < kClients; ++client) {
    clients.emplace_back([&, client] { ask_for_ever(middleware, shared, client); });
  }
  std::mt19937_64 random(seed);
  const auto size = [&random] { return static_cast<int>(1 + random() % kMostWorkers); };
  for (auto due = steady::now();; due += milliseconds(1)) {
    std::this_thread::sleep_until(due);
    middleware.resize({size(), size()}, Settling::kGoOn);
    ++shared.resizes;
    shared.running = true;  // only now: a kill before the first resize would show nothing of resizes
  }
}

double milliseconds_since(steady::time_point begin) {
  return std::chrono::duration<double, std::milli>(steady::now() - begin).count();
}

// Holds what is there of a key against its changes: any from the last acknowledged to the last begun may be it.
void check_key(Engine& engine, std::uint64_t key, const Shared& shared, LoadKills& found) {
  const std::uint64_t acknowledged = shared.acknowledged[key], begun = shared.begun[key];
  std::array<char, kMostVersionBytes> buffer;
  std::size_t bytes = 0;
  const Status status = engine.get(std::to_string(key), buffer, bytes);
  ++found.checked;
  if (status == Status::kNotFound) {
    if (!has_removal(acknowledged, begun)) {
      ++found.lost;
    } else if (!is_removal(acknowledged)) {
      ++found.unacknowledged;
    }
    return;
  }
  const auto version = status == Status::kOk ? version_of(key, {buffer.data(), bytes}) : std::nullopt;
  if (!version || *version > begun || is_removal(*version)) {
    ++found.torn;
  } else if (*version < acknowledged) {
    ++(is_removal(acknowledged) ? found.returned : found.lost);
  } else if (*version > acknowledged) {
    ++found.unacknowledged;
  }
}

void check_values(const std::string& path, const Shared& shared, LoadKills& found) {
  const auto begin = steady::now();
  PmemkvEngine engine(options(path, PmemkvOptions::Opening::kOpen));
  found.slowest_reopening_ms = std::max(found.slowest_reopening_ms, milliseconds_since(begin));
  for (std::uint64_t key = 0; key < kKeys; ++key) check_key(engine, key, shared, found);
}

}  // namespace

LoadKills kill_under_load(const std::string& folder, int rounds, std::uint64_t seed, const Progress& progress) {
  const std::string path = folder + "/pool-durability-" + std::to_string(getpid());
  std::filesystem::remove(path);
  { PmemkvEngine create(options(path, PmemkvOptions::Opening::kCreate)); }
  std::mt19937_64 random(seed);
  const SharedMemory shared;
  LoadKills found;
  for (; found.rounds < rounds; ++found.rounds) {
    shared->running = false;
    const std::uint64_t child_seed = random();
    const microseconds delay(random() % (1000 * kMostLoad.count()));
    Victim victim([&] { load_until_killed(path, *shared, child_seed); });
    const auto patience = steady::now() + std::chrono::seconds(60);
    while (!shared->running && steady::now() < patience) std::this_thread::sleep_for(milliseconds(1));
    const auto loaded = steady::now();
    const std::uint64_t resizes = shared->resizes;
    std::this_thread::sleep_for(delay);
    if (!victim.kill_now()) throw EngineError(path + ": the child under load ended before it was killed");
    found.seconds += 1e-3 * milliseconds_since(loaded);
    found.resizes += shared->resizes - resizes;
    check_values(path, *shared, found);
    // What was begun is now either there or not; the next round goes on from there.
    progress();
  }
  found.puts = shared->puts;
  found.removals = shared->removals;
  std::filesystem::remove(path);
  return found;
}

}  // namespace pmtwin::middleware
