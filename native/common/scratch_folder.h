#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pmtwin {

// A folder of our own inside a directory of the user's, for files whose names begin with `pool`; gone with the object
// or the process. Nothing else of the directory is ever opened for writing.
//
// The folder is locked (flock) as long as its process lives, and holds that process's mark (ScratchOwner). After kill -9
// it stays. The next one made in the same directory removes it if it is provably such a folder of the same user's
// (name, mark), its lock is free and its process is gone.
class ScratchFolder {
 public:
  // Who removes the folder on SIGINT, SIGTERM and SIGHUP: a handler that is set here, after which the process ends of
  // the signal; or the process, which ends in an orderly way. A program of the first kind ends with its parent too, and
  // says on standard error what was removed.
  enum class OnSignal { kRemoveAndEnd, kLeaveToOthers };

  // Throws InputError: `directory` is no directory, is not writable, or has too little room for `needed_bytes`.
  ScratchFolder(const std::string& directory, std::uint64_t needed_bytes, OnSignal on_signal = OnSignal::kRemoveAndEnd);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return folder_; }
  std::string pool_path() const { return folder_ + "/pool"; }

  // Before the end of the object; what has files of it open keeps them.
  void remove();

  // A sentence for each folder of a killed process that was removed when this one was made.
  const std::vector<std::string>& removed() const { return removed_; }

 private:
  void write_mark(const std::string& directory) const;

  std::string folder_;
  int lock_ = -1;
  int process_ = -1;
  int slot_ = -1;
  std::vector<std::string> removed_;
};

// Removes the scratch folders of processes that are gone; a sentence for each.
std::vector<std::string> remove_abandoned(const std::string& directory);

// Free to this user in its file system, but no more than this process may well take of the memory where that is in
// memory: such a file system may promise more than there is, and writing there would end in SIGBUS or in a kill. 0 if unknown.
std::uint64_t free_bytes_in(const std::string& directory);

// Throws InputError: `directory` is no directory, is not writable, or has too little room for `needed_bytes`.
void check_directory(const std::string& directory, std::uint64_t needed_bytes);

// Whether libpmem must be told that the memory behind `directory` is to be treated as persistent (tmpfs: it is not,
// and only then may it be pretended).
bool is_memory_file_system(const std::string& directory);

}  // namespace pmtwin
