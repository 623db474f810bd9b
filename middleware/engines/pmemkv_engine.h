// pmemkv's `cmap`: a persistent concurrent hash map, in a pool on a DAX file system or, to try it out, in /dev/shm
// (set PMEM_IS_PMEM_FORCE=1 there: otherwise each flush is an msync).
//
// What pmemkv does with bad pools and in need is kept from the process: see docs/middleware.md. One thing cannot be:
// whoever truncates the file of an open pool kills the process (SIGBUS).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "middleware/engines/engine.h"

namespace pmtwin::middleware {

struct PmemkvOptions {
  std::string path;  // of the pool's file
  std::string engine = "cmap";  // the only one allowed

  enum class Opening { kOpen, kCreate, kOpenOrCreate } opening = Opening::kOpen;

  // For a new pool: its size, or 0 for kPoolPerLiveByte times the live data; and the most live data that it will hold
  // (keys, values and 128 bytes for each), or 0 if that is not known.
  std::uint64_t pool_bytes = 0;
  std::uint64_t live_bytes = 0;

  // Before a pool is opened that was there, a child process tries it out on a copy-on-write mapping. If that makes no progress for
  // `timeout`, the pool is taken for corrupt. Recovery after a crash takes milliseconds.
  std::chrono::milliseconds timeout = std::chrono::seconds(20);

  // The child reads every record, and changes a sample of them in its own memory: at most 10,000, whose values have at
  // most so many bytes. It stops after `check_time`. What only another record would meet is not found.
  std::chrono::milliseconds check_time = std::chrono::seconds(30);
  std::uint64_t check_changes_up_to = std::uint64_t{64} << 20;

  // The child: where pmtwin-pool-check is. Empty: beside the program or library that the middleware is in, or in PATH.
  std::string check_program;
};

class PmemkvEngine final : public Engine {
 public:
  // Throws InputError for options that are not accepted, EngineError for a pool that cannot be created or opened.
  explicit PmemkvEngine(const PmemkvOptions& options);
  ~PmemkvEngine() override;

  Status get(std::string_view key, std::span<char> target, std::size_t& bytes) noexcept override;

  // Without room, it reads what became of the key: kOk if the value is there all the same, kOutOfSpace if not, and
  // kOutcomeUnknown only if that cannot be read. (A put of the same key at the same time may be what it reads.)
  Status put(std::string_view key, std::string_view value) noexcept override;

  Status remove(std::string_view key) noexcept override;
  Limits limits() const override { return limits_; }
  std::string describe() const override;

 private:
  struct Database;

  std::string path_;
  Limits limits_;
  std::unique_ptr<Database> database_;
};

}  // namespace pmtwin::middleware
