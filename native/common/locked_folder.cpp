#include "native/common/locked_folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace pmtwin {

int try_lock_folder(const std::string& folder) {
  const int lock = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0) return lock;
  const int error = errno;
  if (lock >= 0) close(lock);
  errno = error;
  return -1;
}

void unlock_folder(int lock) {
  flock(lock, LOCK_UN);
  close(lock);
}

int make_locked_folder(const std::string& prefix, std::string& folder) {
  for (;;) {
    folder = prefix + "XXXXXX";  // mkdtemp replaces the X
    if (mkdtemp(folder.data()) == nullptr) return -1;
    const int lock = try_lock_folder(folder);
    const int error = errno;
    struct stat status;
    const bool there = lstat(folder.c_str(), &status) == 0;
    if (lock >= 0 && there) return lock;
    if (lock >= 0) unlock_folder(lock);
    if (there && error != EWOULDBLOCK) {
      rmdir(folder.c_str());
      errno = error;
      return -1;
    }
  }
}

}  // namespace pmtwin
