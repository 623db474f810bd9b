#include "middleware/engines/pool_file.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "middleware/engines/engine.h"
#include "native/common/errors.h"

namespace pmtwin::middleware {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCreating = ".creating-";  // and the process, and a number
constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;
constexpr std::uint64_t kOverheadPerRecord = 128;  // node, bucket, header of the allocation, class of its size

[[noreturn]] void fail(const std::string& path, const std::string& what) { throw EngineError(path + ": " + what); }

[[noreturn]] void fail_with_errno(const std::string& path, const std::string& what) {
  fail(path, what + ": " + std::strerror(errno));
}

fs::path folder_of(const std::string& path) {
  const fs::path parent = fs::path(path).parent_path();
  return parent.empty() ? fs::path(".") : parent;
}

std::string temporary_name(const std::string& path) {
  static std::atomic<unsigned> number = 0;
  return path + kCreating + std::to_string(getpid()) + "-" + std::to_string(number++);
}

void sync_path(const std::string& path, int flags) {
  const int file = open(path.c_str(), flags | O_CLOEXEC);
  if (file < 0) fail_with_errno(path, "cannot be opened to make it durable");
  const int result = fsync(file);
  const int error = errno;
  close(file);
  errno = error;
  if (result != 0) fail_with_errno(path, "cannot be made durable");
}

// A creation that was killed leaves its temporary file; one of a process that lives is still at it.
void remove_leftovers(const std::string& path) {
  const std::string prefix = fs::path(path).filename().string() + kCreating;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_of(path), error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix)) continue;
    int process = 0;
    const char* digits = name.c_str() + prefix.size();
    const auto parsed = std::from_chars(digits, name.c_str() + name.size(), process);
    if (parsed.ec != std::errc() || *parsed.ptr != '-') continue;
    if (kill(process, 0) != 0 && errno == ESRCH) fs::remove(entry.path(), error);
  }
}

}  // namespace

std::uint64_t pool_bytes_for(std::uint64_t records, std::uint64_t key_bytes, std::uint64_t value_bytes) {
  const std::uint64_t live = records * (key_bytes + value_bytes + kOverheadPerRecord);
  const std::uint64_t wanted = std::max(kPoolPerLiveByte * live, 8 * kLeastPoolBytes);
  return (wanted + kHugePage - 1) / kHugePage * kHugePage;
}

bool exists(const std::string& path) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0;
}

void check_pool_file(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) fail_with_errno(path, "no pool");
  if (!S_ISREG(status.st_mode)) fail(path, "no pool: not a regular file (a pool is a file on a DAX file system)");
  if (static_cast<std::uint64_t>(status.st_size) < kLeastPoolBytes) {
    fail(path, "no pool: " + std::to_string(status.st_size) + " bytes, and a pool has at least " +
                   std::to_string(kLeastPoolBytes) + "; a creation that was killed leaves such a file: remove it");
  }
  if (access(path.c_str(), R_OK | W_OK) != 0) fail_with_errno(path, "the pool cannot be read and written");
}

NewPoolFile::NewPoolFile(std::string path, std::uint64_t bytes)
    : path_(std::move(path)), temporary_(temporary_name(path_)) {
  if (bytes < kLeastPoolBytes) {
    throw InputError("pool_bytes", std::to_string(bytes), std::to_string(kLeastPoolBytes) + " or more");
  }
  if (exists(path_)) fail(path_, "exists already: open it, or remove it first");
  const std::string folder = folder_of(path_);
  if (access(folder.c_str(), W_OK | X_OK) != 0) fail_with_errno(folder, "no pool can be created there");
  remove_leftovers(path_);
  struct statvfs room;
  if (statvfs(folder.c_str(), &room) == 0) {
    const std::uint64_t free_bytes = std::uint64_t{room.f_bavail} * room.f_frsize;
    if (bytes > free_bytes) {
      throw InputError("pool_bytes", std::to_string(bytes), "what is free in " + folder + ": " + std::to_string(free_bytes));
    }
  }
}

NewPoolFile::~NewPoolFile() { unlink(temporary_.c_str()); }

void NewPoolFile::publish() {
  sync_path(temporary_, O_RDWR);
  // Not rename(): it would replace a pool that another process created meanwhile.
  if (syscall(SYS_renameat2, AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) != 0) {
    if (errno == EINVAL || errno == ENOSYS) {  // a file system without it: a second name, then without the first
      if (link(temporary_.c_str(), path_.c_str()) != 0) fail_with_errno(path_, "the new pool cannot get its name");
    } else {
      fail_with_errno(path_, "the new pool cannot get its name");
    }
  }
  sync_path(folder_of(path_), O_RDONLY | O_DIRECTORY);
}

}  // namespace pmtwin::middleware
