// Trying a pool out in another process, whatever the threads of this one do.
#include "middleware/engines/pool_trial.h"

#include <gtest/gtest.h>
#include <libpmemobj.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "tests/middleware/scratch.h"

namespace pmtwin::middleware {
namespace {

constexpr std::uint64_t kBytes = std::uint64_t{16} << 20;

void create(const std::string& path) {
  PmemkvOptions options;
  options.path = path;
  options.opening = PmemkvOptions::Opening::kCreate;
  options.pool_bytes = kBytes;
  PmemkvEngine engine(options);
  engine.put("key", "value");
}

PmemkvOptions existing(const std::string& path) {
  PmemkvOptions options;
  options.path = path;
  options.timeout = std::chrono::seconds(5);
  return options;
}

std::string error_of(const PmemkvOptions& options) {
  try {
    try_pool(options);
    return "";
  } catch (const EngineError& error) {
    return error.what();
  }
}

// A thread that opens a pool, and stands within libpmemobj, with the lock that each opening takes, until it is let go.
class StandsInOpening {
 public:
  explicit StandsInOpening(const std::string& path) {
    pmemobj_set_funcs(&allocate, &std::free, &std::realloc, &strdup);
    thread_ = std::thread([path] {
      stands_ = true;
      PMEMobjpool* pool = pmemobj_open(path.c_str(), "pmemkv");
      if (pool != nullptr) pmemobj_close(pool);
    });
    inside_.wait(false);
  }
  ~StandsInOpening() {
    go_on_ = true;
    go_on_.notify_all();
    thread_.join();
    pmemobj_set_funcs(&std::malloc, &std::free, &std::realloc, &strdup);
  }

 private:
  static void* allocate(std::size_t bytes) {
    if (stands_) {
      inside_ = true;
      inside_.notify_all();
      go_on_.wait(false);
    }
    return std::malloc(bytes);
  }

  static thread_local bool stands_;
  static std::atomic<bool> inside_, go_on_;
  std::thread thread_;
};

thread_local bool StandsInOpening::stands_ = false;
std::atomic<bool> StandsInOpening::inside_ = false, StandsInOpening::go_on_ = false;

TEST(PoolTrial, ALockOfAnotherThreadsMakesNoSoundPoolCorrupt) {
  const testing::Scratch scratch;
  create(scratch / "pool");
  create(scratch / "other");
  const StandsInOpening another(scratch / "other");
  EXPECT_EQ(error_of(existing(scratch / "pool")), "");
}

TEST(PoolTrial, WithoutItsProgramTheErrorSaysWhatToDo) {
  const testing::Scratch scratch;
  create(scratch / "pool");
  PmemkvOptions options = existing(scratch / "pool");
  options.check_program = scratch / "no-program";
  const std::string error = error_of(options);
  EXPECT_NE(error.find(options.check_program + " is not there"), std::string::npos) << error;
  EXPECT_NE(error.find("PmemkvOptions::check_program"), std::string::npos) << error;
  EXPECT_THROW(PmemkvEngine{options}, EngineError);
}

TEST(PoolTrial, AProgramThatCannotBeginSaysNothingOfThePool) {
  const testing::Scratch scratch;
  create(scratch / "pool");
  PmemkvOptions options = existing(scratch / "pool");
  options.check_program = "false";  // in PATH
  const std::string error = error_of(options);
  EXPECT_NE(error.find("no check of the pool: program false ended with exit code 1"), std::string::npos) << error;
  options.check_program = "/";
  EXPECT_NE(error_of(options).find("cannot be started: Permission denied"), std::string::npos) << error_of(options);
}

}  // namespace
}  // namespace pmtwin::middleware
