#include "middleware/engines/pmemkv_engine.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <libpmemkv.hpp>

#include "middleware/engines/child_probe.h"
#include "middleware/engines/pool_file.h"
#include "native/common/errors.h"

namespace pmtwin::middleware {
namespace {

using pmem::kv::status;

constexpr std::size_t kMostKeyBytes = std::size_t{64} << 10;
constexpr std::size_t kMostValueBytes = std::size_t{1} << 30;

pmem::kv::string_view view(std::string_view text) { return {text.data(), text.size()}; }

enum class Pool { kExisting, kNew };

// Empty, or why it does not open.
std::string open_database(pmem::kv::db& database, const std::string& path, Pool pool, std::uint64_t bytes) {
  pmem::kv::config config;
  status result = config.put_path(path);
  if (result == status::OK && pool == Pool::kNew) result = config.put_size(bytes);
  if (result == status::OK && pool == Pool::kNew) result = config.put_force_create(true);
  if (result == status::OK) result = database.open("cmap", std::move(config));
  return result == status::OK ? "" : pmem::kv::errormsg();
}

// In the child: opens, looks, closes.
std::string attempt_to_open(const std::string& path) {
  pmem::kv::db database;
  std::string error = open_database(database, path, Pool::kExisting, 0);
  if (!error.empty()) return error;
  std::size_t count = 0;
  if (database.count_all(count) != status::OK) error = pmem::kv::errormsg();
  database.close();
  return error;
}

std::uint64_t new_pool_bytes(const PmemkvOptions& options) {
  const std::uint64_t needed = kPoolPerLiveByte * options.live_bytes;
  if (options.pool_bytes == 0) {
    if (options.live_bytes == 0) throw InputError("pool_bytes", "0", "a size, or live_bytes to derive it from");
    return std::max(needed, pool_bytes_for(0, 0, 0));
  }
  if (options.pool_bytes < needed) {
    throw InputError("pool_bytes", std::to_string(options.pool_bytes),
                     std::to_string(needed) + " or more: " + std::to_string(kPoolPerLiveByte) +
                         " times the live data, since overwriting fragments a pool");
  }
  return options.pool_bytes;
}

void create_pool(const PmemkvOptions& options) {
  const std::uint64_t bytes = new_pool_bytes(options);
  NewPoolFile file(options.path, bytes);
  pmem::kv::db database;
  const std::string error = open_database(database, file.temporary_path(), Pool::kNew, bytes);
  if (!error.empty()) throw EngineError(options.path + ": the pool cannot be created: " + error);
  database.close();
  file.publish();
}

Status other_failure(status result) {
  switch (result) {
    case status::NOT_FOUND:
      return Status::kNotFound;
    case status::NOT_SUPPORTED:
    case status::INVALID_ARGUMENT:
    case status::TRANSACTION_SCOPE_ERROR:
      return Status::kFailed;
    default:
      return Status::kOutcomeUnknown;
  }
}

// Where a value goes. pmemkv holds a lock of the key during its callback, so nothing but a copy may happen there.
struct Copy {
  std::span<char> target;
  std::size_t bytes = 0;

  static void out(const char* value, std::size_t bytes, void* argument) {
    Copy& copy = *static_cast<Copy*>(argument);
    copy.bytes = bytes;
    if (bytes != 0 && bytes <= copy.target.size()) std::memcpy(copy.target.data(), value, bytes);
  }
};

// Whether a value is the one that was to be stored.
struct Comparison {
  std::string_view wanted;
  bool equal = false;

  static void with(const char* value, std::size_t bytes, void* argument) {
    Comparison& comparison = *static_cast<Comparison*>(argument);
    comparison.equal = std::string_view(value, bytes) == comparison.wanted;
  }
};

}  // namespace

struct PmemkvEngine::Database : pmem::kv::db {};

PmemkvEngine::PmemkvEngine(const PmemkvOptions& options)
    : path_(options.path), database_(std::make_unique<Database>()) {
  using Opening = PmemkvOptions::Opening;
  // `blackhole`, for one, opens whatever it is given and stores nothing.
  if (options.engine != "cmap") throw InputError("engine", options.engine, "cmap");
  if (path_.empty()) throw InputError("path", path_, "the path of a file");
  if (options.opening == Opening::kCreate || (options.opening == Opening::kOpenOrCreate && !exists(path_))) {
    create_pool(options);
  }
  check_pool_file(path_);
  std::string error = try_in_child([this] { return attempt_to_open(path_); }, options.timeout);
  if (error.starts_with("ended with") || error.starts_with("did not end")) {
    error = "the pool is corrupt: opening it in a child process " + error;
  }
  if (error.empty()) error = open_database(*database_, path_, Pool::kExisting, 0);
  if (!error.empty()) throw EngineError(path_ + ": " + error);
  struct stat file;
  stat(path_.c_str(), &file);
  limits_ = {1, kMostKeyBytes, std::min<std::size_t>(kMostValueBytes, static_cast<std::size_t>(file.st_size) / kPoolPerLiveByte)};
}

PmemkvEngine::~PmemkvEngine() { database_->close(); }

Status PmemkvEngine::get(std::string_view key, std::span<char> target, std::size_t& bytes) noexcept {
  bytes = 0;
  if (!limits_.allow_key(key)) return Status::kRefused;
  Copy copy{target};
  const status result = database_->get(view(key), &Copy::out, &copy);
  if (result == status::NOT_FOUND) return Status::kNotFound;
  if (result != status::OK) return Status::kFailed;
  bytes = copy.bytes;
  return bytes <= target.size() ? Status::kOk : Status::kBufferTooSmall;
}

Status PmemkvEngine::put(std::string_view key, std::string_view value) noexcept {
  if (!limits_.allow_key(key) || !limits_.allow_value(value)) return Status::kRefused;
  const status result = database_->put(view(key), view(value));
  if (result == status::OK) return Status::kOk;
  return result == status::OUT_OF_MEMORY ? outcome_of(key, value) : other_failure(result);
}

Status PmemkvEngine::outcome_of(std::string_view key, std::string_view value) noexcept {
  Comparison comparison{value};
  const status result = database_->get(view(key), &Comparison::with, &comparison);
  if (result == status::OK) return comparison.equal ? Status::kOk : Status::kOutOfSpace;
  return result == status::NOT_FOUND ? Status::kOutOfSpace : Status::kOutcomeUnknown;
}

Status PmemkvEngine::remove(std::string_view key) noexcept {
  if (!limits_.allow_key(key)) return Status::kRefused;
  const status result = database_->remove(view(key));
  return result == status::OK ? Status::kOk : other_failure(result);
}

std::string PmemkvEngine::describe() const { return "pmemkv " PMTWIN_PMEMKV_VERSION " cmap in " + path_; }

}  // namespace pmtwin::middleware
