#include "middleware/engines/pool_check.h"

#include <libpmemobj.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <vector>

#include "middleware/engines/pmemkv_database.h"

namespace pmtwin::middleware {
namespace {

using pmem::kv::status;

constexpr std::uint64_t kLeastRecordBytes = 64;  // less than any node of cmap's takes

struct Record {
  std::string key;
  std::size_t bytes;
};

struct Walk {
  const Progress& progress;
  std::uint64_t most;  // a chain of records that bites its own tail is walked for ever
  std::vector<Record>* records;
  std::uint64_t seen = 0;
  unsigned sum = 0;  // what is read must be read
};

int visit(const char* key, std::size_t key_bytes, const char* value, std::size_t bytes, void* argument) {
  Walk& walk = *static_cast<Walk*>(argument);
  walk.progress();
  if (++walk.seen > walk.most) return 1;
  for (const std::string_view text : {std::string_view(key, key_bytes), std::string_view(value, bytes)}) {
    walk.sum = std::accumulate(text.begin(), text.end(), walk.sum);
  }
  if (walk.records != nullptr) walk.records->push_back({std::string(key, key_bytes), bytes});
  return 0;
}

// An operation that only damage makes fail.
bool sound(status result) { return result == status::OK || result == status::OUT_OF_MEMORY; }

std::string find_all(pmem::kv::db& database, const std::vector<Record>& records, const Progress& progress) {
  for (const Record& record : records) {
    progress();
    if (database.exists(view(record.key)) != status::OK) return "a record is not found by its key";
  }
  return "";
}

std::string change_all(pmem::kv::db& database, const std::vector<Record>& records, const Progress& progress) {
  std::size_t most = 0;
  for (const Record& record : records) most = std::max(most, record.bytes);
  const std::string text(2 * most + 64, 'x');
  const auto all = [&](auto&& change) {
    return std::ranges::all_of(records, [&](const Record& record) {
      progress();
      return sound(change(record));
    });
  };
  const auto value = [&](std::size_t bytes) { return view(std::string_view(text).substr(0, bytes)); };
  const auto other = [](const Record& record) { return record.key + std::string(1, '\0'); };
  const bool changed =
      all([&](const Record& record) { return database.put(view(record.key), value(2 * record.bytes + 64)); }) &&
      all([&](const Record& record) { return database.put(view(record.key), value(record.bytes / 2)); }) &&
      all([&](const Record& record) { return database.put(view(other(record)), value(record.bytes)); }) &&
      all([&](const Record& record) { return database.remove(view(record.key)); });
  return changed ? "" : "a record cannot be changed: " + pmem::kv::errormsg();
}

}  // namespace

std::string check_records(const std::string& path, bool with_changes, const Progress& progress) {
  int copy_on_write = 1;
  if (pmemobj_ctl_set(nullptr, "copy_on_write.at_open", &copy_on_write) != 0) return pmemobj_errormsg();
  pmem::kv::db database;
  std::string error = open_database(database, path, Pool::kExisting);
  if (!error.empty()) return error;
  std::vector<Record> records;
  Walk walk{progress, std::filesystem::file_size(path) / kLeastRecordBytes, with_changes ? &records : nullptr};
  if (database.get_all(&visit, &walk) != status::OK) error = "its records cannot be walked: " + pmem::kv::errormsg();
  if (error.empty()) error = find_all(database, records, progress);
  if (error.empty()) error = change_all(database, records, progress);
  database.close();
  return error;
}

}  // namespace pmtwin::middleware
