#include "middleware/engines/pmemkv_engine.h"

#include <algorithm>
#include <filesystem>

#include "middleware/engines/pmemkv_database.h"
#include "middleware/engines/pool_file.h"
#include "middleware/engines/pool_in_memory.h"
#include "middleware/engines/pool_trial.h"
#include "middleware/engines/registry.h"
#include "native/common/errors.h"

namespace pmtwin::middleware {
namespace {

constexpr std::size_t kMostKeyBytes = std::size_t{64} << 10;
constexpr std::size_t kMostValueBytes = std::size_t{1} << 30;

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

std::shared_ptr<Engine> open_or_create(const EngineValues& values) {
  PmemkvOptions options;
  options.path = values.text("path");
  options.opening = PmemkvOptions::Opening::kOpenOrCreate;
  options.pool_bytes = values.number("pool_bytes");
  options.live_bytes = values.number("live_bytes");
  const MemoryTakenForPersistent while_opening(options.path);
  return std::make_shared<PmemkvEngine>(options);
}

const Engines::Entry pmemkv_entry{{
    .name = "pmemkv",
    .description = "pmemkv cmap in a pool: on a DAX file system, or in /dev/shm",
    .keeps = Keeps::kInFile,
    .options = {{"path", "the file of its pool, created if it is absent", EngineOption::Kind::kText, true},
                {"pool_bytes", "size of a new pool; by default what live_bytes need", EngineOption::Kind::kNumber},
                {"live_bytes", "the most it will hold: keys, values and 128 bytes for each",
                 EngineOption::Kind::kNumber}},
    .make = &open_or_create,
}};

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
  } else {
    try_pool(options);
  }
  if (const std::string error = open_database(*database_, path_, Pool::kExisting); !error.empty()) {
    throw EngineError(path_ + ": " + error);
  }
  limits_ = {1, kMostKeyBytes, std::min<std::size_t>(kMostValueBytes, std::filesystem::file_size(path_) / kPoolPerLiveByte)};
}

PmemkvEngine::~PmemkvEngine() { database_->close(); }

Status PmemkvEngine::get(std::string_view key, std::span<char> target, std::size_t& bytes) noexcept {
  bytes = 0;
  if (!limits_.allow_key(key)) return Status::kRefused;
  return get_from(*database_, key, target, bytes);
}

Status PmemkvEngine::put(std::string_view key, std::string_view value) noexcept {
  if (!limits_.allow_key(key) || !limits_.allow_value(value)) return Status::kRefused;
  return put_into(*database_, key, value);
}

Status PmemkvEngine::remove(std::string_view key) noexcept {
  if (!limits_.allow_key(key)) return Status::kRefused;
  return remove_from(*database_, key);
}

std::string PmemkvEngine::describe() const { return "pmemkv " PMTWIN_PMEMKV_VERSION " cmap in " + path_; }

}  // namespace pmtwin::middleware
