#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "middleware/durability/kill_rounds.h"
#include "middleware/durability/victim.h"
#include "middleware/engines/pmemkv_engine.h"
#include "middleware/engines/pool_file.h"

namespace pmtwin::middleware {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::uint64_t kPoolBytes = 8 * kLeastPoolBytes;

PmemkvOptions options(const std::string& path, PmemkvOptions::Opening opening) {
  PmemkvOptions options;
  options.path = path;
  options.opening = opening;
  options.pool_bytes = kPoolBytes;
  return options;
}

// The child in which the killed process was just trying the pool dies with it, but a moment later, and until then it
// holds the pool's lock.
bool opens(const std::string& path) {
  for (int attempt = 0; attempt < 200; ++attempt) {
    try {
      PmemkvEngine engine(options(path, PmemkvOptions::Opening::kOpen));
      return true;
    } catch (const EngineError&) {
      std::this_thread::sleep_for(milliseconds(10));
    }
  }
  return false;
}

}  // namespace

CreationKills kill_during_creation(const std::string& folder, int rounds, std::uint64_t seed, const Progress& progress) {
  const std::string name = "pool-creation-" + std::to_string(getpid());
  const std::string path = folder + "/" + name;
  std::mt19937_64 random(seed);
  CreationKills found;
  const auto begin = std::chrono::steady_clock::now();
  { PmemkvEngine whole(options(path, PmemkvOptions::Opening::kCreate)); }
  const auto taken = std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now() - begin);
  std::filesystem::remove(path);
  for (; found.rounds < rounds; ++found.rounds) {
    // The first before it can have begun, whatever the machine does besides.
    const microseconds delay(found.rounds == 0 ? 0 : random() % (3 * taken.count() / 2 + 1));
    Victim victim([&] { PmemkvEngine engine(options(path, PmemkvOptions::Opening::kCreate)); });
    std::this_thread::sleep_for(delay);
    victim.kill_now();
    if (!exists(path)) {
      ++found.absent;
    } else {
      ++(opens(path) ? found.whole : found.unusable);
    }
    std::filesystem::remove(path);
    progress();
  }
  { PmemkvEngine engine(options(path, PmemkvOptions::Opening::kCreate)); }  // removes what the killed ones left
  std::filesystem::remove(path);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    found.leftovers += entry.path().filename().string().starts_with(name);
  }
  return found;
}

}  // namespace pmtwin::middleware
