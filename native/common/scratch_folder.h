#pragma once

#include <cstdint>
#include <string>

namespace pmtwin {

// A folder of our own inside a directory of the user's, for pool files; gone with the object, on an error and on
// SIGINT, SIGTERM and SIGHUP. Nothing else of the directory is ever opened for writing.
//
// It holds a file `owner`, locked (flock) while its process lives, and files whose names begin with `pool`. The lock is not on the pool:
// libpmemobj takes that one itself. After kill -9 a folder stays; the next one made in the same directory removes it
// if it is provably such a folder of the same user's (name, owner's mark) and its lock is free.
class ScratchFolder {
 public:
  // Throws InputError: `directory` is no directory, is not writable, or has too little room for `needed_bytes`.
  ScratchFolder(const std::string& directory, std::uint64_t needed_bytes);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return folder_; }
  std::string pool_path() const { return folder_ + "/pool"; }

  // Number of folders of killed runs that were removed when this one was made.
  int stale_removed() const { return stale_removed_; }

 private:
  std::string folder_;
  int lock_ = -1;
  int process_ = -1;
  int stale_removed_ = 0;
};

// Whether libpmem must be told that the memory behind `directory` is to be treated as persistent (tmpfs: it is not,
// and only then may it be pretended).
bool is_memory_file_system(const std::string& directory);

}  // namespace pmtwin
