#include "middleware/engines/pool_check.h"

#include <libpmemobj.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <random>
#include <system_error>
#include <vector>

#include "middleware/engines/pmemkv_database.h"

namespace pmtwin::middleware {
namespace {

using pmem::kv::status;
using Steady = std::chrono::steady_clock;

constexpr std::uint64_t kLeastRecordBytes = 64;  // less than any node of cmap's takes

struct Record {
  std::string key;
  std::size_t bytes;
};

// The state of a check. Out of time, it ends where it is, and has found nothing wrong.
class Check {
 public:
  Check(const std::string& path, const CheckBounds& bounds, const CheckProgress& progress)
      : path_(path), bounds_(bounds), progress_(progress), most_(most_records(path)) {}

  std::string run() {
    pmem::kv::db database;
    std::string error = open_database(database, path_, Pool::kExisting);
    if (!error.empty()) return error;
    const status walked = database.get_all(&Check::visit, this);
    if (walked != status::OK && in_time_) error = "its records cannot be walked: " + pmem::kv::errormsg();
    if (error.empty()) error = change_sample(database);
    goes_on();  // the last progress
    database.close();
    return error;
  }

 private:
  static std::uint64_t most_records(const std::string& path) {
    std::error_code error;  // whether there is such a file is pmemkv's to say
    return std::filesystem::file_size(path, error) / kLeastRecordBytes;
  }

  static int visit(const char* key, std::size_t key_bytes, const char* value, std::size_t bytes, void* argument) {
    Check& check = *static_cast<Check*>(argument);
    if (!check.goes_on() || ++check.read_ > check.most_) return 1;  // a chain that bites its own tail has no end
    for (const std::string_view text : {std::string_view(key, key_bytes), std::string_view(value, bytes)}) {
      check.sum_ = std::accumulate(text.begin(), text.end(), check.sum_);
    }
    check.sample({key, key_bytes}, bytes);
    return 0;
  }

  // Each record comes into the sample with the same chance (Vitter's algorithm R).
  void sample(std::string_view key, std::size_t bytes) {
    if (bytes > bounds_.changed_bytes || bounds_.changed_bytes == 0) return;
    if (sample_.size() < kMostChanged) {
      sample_.push_back({std::string(key), bytes});
    } else if (const std::uint64_t place = random_() % read_; place < kMostChanged) {
      sample_[place] = {std::string(key), bytes};
    }
  }

  std::string change_sample(pmem::kv::db& database) {
    std::shuffle(sample_.begin(), sample_.end(), random_);
    std::uint64_t bytes = 0;
    std::size_t count = 0;
    while (count < sample_.size() && bytes <= bounds_.changed_bytes) bytes += sample_[count++].bytes;
    sample_.resize(count);
    if (!each([&](const Record& record) { return database.exists(view(record.key)) == status::OK; })) {
      return "a record is not found by its key";
    }
    std::size_t most = 0;
    for (const Record& record : sample_) most = std::max(most, record.bytes);
    const std::string text(2 * most + 64, 'x');
    const auto value = [&](std::size_t size) { return view(std::string_view(text).substr(0, size)); };
    const auto other = [](const Record& record) { return record.key + std::string(1, '\0'); };
    const auto changed = [this](status result) {
      ++changed_;
      return result == status::OK || result == status::OUT_OF_MEMORY;  // anything else is damage
    };
    const bool sound =
        each([&](const Record& record) { return changed(database.put(view(record.key), value(2 * record.bytes + 64))); }) &&
        each([&](const Record& record) { return changed(database.put(view(record.key), value(record.bytes / 2))); }) &&
        each([&](const Record& record) { return changed(database.put(view(other(record)), value(record.bytes))); }) &&
        each([&](const Record& record) { return changed(database.remove(view(record.key))); });
    return sound ? "" : "a record cannot be changed: " + pmem::kv::errormsg();
  }

  // Whether an operation does with each record of the sample, as far as there is time.
  template <class Operation>
  bool each(Operation operation) {
    return std::ranges::all_of(sample_, [&](const Record& record) { return !goes_on() || operation(record); });
  }

  bool goes_on() {
    if (in_time_) in_time_ = Steady::now() < until_;
    progress_(read_, changed_ / kChanges);
    return in_time_;
  }

  static constexpr std::uint64_t kChanges = 4;  // of each record

  const std::string& path_;
  const CheckBounds& bounds_;
  const CheckProgress& progress_;
  const std::uint64_t most_;
  const Steady::time_point until_ = Steady::now() + bounds_.time;
  bool in_time_ = true;
  std::uint64_t read_ = 0, changed_ = 0;
  unsigned sum_ = 0;  // what is read must be read
  std::vector<Record> sample_;
  std::mt19937_64 random_{1};
};

}  // namespace

std::string check_records(const std::string& path, const CheckBounds& bounds, const CheckProgress& progress) {
  int copy_on_write = 1;
  if (pmemobj_ctl_set(nullptr, "copy_on_write.at_open", &copy_on_write) != 0) return pmemobj_errormsg();
  return Check(path, bounds, progress).run();
}

}  // namespace pmtwin::middleware
