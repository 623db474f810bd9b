#include "middleware/engines/pool_file.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "middleware/engines/engine.h"
#include "native/common/errors.h"
#include "native/common/locked_folder.h"
#include "native/common/scratch_folder.h"

namespace pmtwin::middleware {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCreating = ".creating-";

[[noreturn]] void fail(const std::string& path, const std::string& what) { throw EngineError(path + ": " + what); }

[[noreturn]] void fail_with_errno(const std::string& path, const std::string& what) {
  fail(path, what + ": " + std::strerror(errno));
}

fs::path folder_of(const std::string& path) {
  const fs::path parent = fs::path(path).parent_path();
  return parent.empty() ? fs::path(".") : parent;
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

std::string file_in(const std::string& temporary_folder) { return temporary_folder + "/pool"; }

// With nothing in it but what a creation puts there: a folder of the user's that has such a name stays.
void remove_folder(const std::string& temporary_folder) {
  unlink(file_in(temporary_folder).c_str());
  rmdir(temporary_folder.c_str());
}

// A creation that was killed leaves its folder unlocked; a living one is still at it.
void remove_leftovers(const std::string& path) {
  const std::string prefix = fs::path(path).filename().string() + kCreating;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_of(path), error)) {
    if (!entry.path().filename().string().starts_with(prefix)) continue;
    const int lock = try_lock_folder(entry.path());
    if (lock < 0) continue;
    remove_folder(entry.path());
    unlock_folder(lock);
  }
}

void check_free(const std::string& folder, std::uint64_t bytes) {
  std::uint64_t free_bytes = free_bytes_in(folder);
  struct rlimit largest;
  if (getrlimit(RLIMIT_FSIZE, &largest) == 0) free_bytes = std::min<std::uint64_t>(free_bytes, largest.rlim_cur);
  if (bytes <= free_bytes) return;
  throw InputError("pool_bytes", std::to_string(bytes), "what is free in " + folder + ": " + std::to_string(free_bytes));
}

}  // namespace

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

NewPoolFile::NewPoolFile(std::string path, std::uint64_t bytes) : path_(std::move(path)) {
  if (bytes < kLeastPoolBytes) {
    throw InputError("pool_bytes", std::to_string(bytes), std::to_string(kLeastPoolBytes) + " or more");
  }
  if (exists(path_)) fail(path_, "exists already: open it, or remove it first");
  const std::string folder = folder_of(path_);
  if (access(folder.c_str(), W_OK | X_OK) != 0) fail_with_errno(folder, "no pool can be created there");
  remove_leftovers(path_);
  check_free(folder, bytes);
  lock_ = make_locked_folder(path_ + kCreating, temporary_folder_);
  if (lock_ < 0) fail_with_errno(path_, "no pool can be created there");
}

NewPoolFile::~NewPoolFile() {
  remove_folder(temporary_folder_);
  unlock_folder(lock_);
}

std::string NewPoolFile::temporary_path() const { return file_in(temporary_folder_); }

void NewPoolFile::publish() {
  const std::string temporary = temporary_path();
  sync_path(temporary, O_RDWR);
  // Not rename(): it would replace a pool that another process created meanwhile.
  if (syscall(SYS_renameat2, AT_FDCWD, temporary.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) != 0) {
    if (errno == EINVAL || errno == ENOSYS) {  // a file system without it: a second name, then without the first
      if (link(temporary.c_str(), path_.c_str()) != 0) fail_with_errno(path_, "the new pool cannot get its name");
    } else {
      fail_with_errno(path_, "the new pool cannot get its name");
    }
  }
  sync_path(folder_of(path_), O_RDONLY | O_DIRECTORY);
}

}  // namespace pmtwin::middleware
