// Trying a pool out in another process, whatever the threads of this one do.
#include "middleware/engines/pool_trial.h"

#include <gtest/gtest.h>
#include <libpmemobj.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "middleware/engines/pool_check.h"
#include "tests/middleware/forked.h"
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

TEST(PoolTrial, ACheckWhoseTimeIsUpEndsAndSaysHowFarItIs) {
  const testing::Scratch scratch;
  create(scratch / "pool");
  PmemkvOptions options = existing(scratch / "pool");
  options.check_time = std::chrono::milliseconds(0);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(error_of(options), "");
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("check of the pool " + options.path + ": 0 records read"), std::string::npos) << said;
  EXPECT_NE(said.find("which is all its time"), std::string::npos) << said;
}

// Each change of a record in a pool without room looks everywhere for it.
TEST(PoolTrial, OfManyRecordsASampleIsChangedAndAFullPoolIsSound) {
  const testing::Scratch scratch;
  create(scratch / "pool");
  std::size_t records = 1;
  {
    PmemkvEngine engine(existing(scratch / "pool"));
    while (engine.put(std::to_string(records), "v") == Status::kOk) ++records;
  }
  ASSERT_GT(records, kMostChanged);
  std::uint64_t read = 0, changed = 0;
  const std::string found = testing::forked([&] {  // it changes how the process opens pools
    const CheckBounds bounds{std::chrono::minutes(10), kBytes};
    const std::string error = check_records(scratch / "pool", bounds, [&](auto read_now, auto changed_now) {
      read = read_now, changed = changed_now;
    });
    return error + std::to_string(read) + " read, " + std::to_string(changed) + " changed";
  });
  EXPECT_EQ(found, std::to_string(records) + " read, " + std::to_string(kMostChanged) + " changed");
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
