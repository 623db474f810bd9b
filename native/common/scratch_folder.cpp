#include "native/common/scratch_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "native/common/errors.h"
#include "native/common/locked_folder.h"
#include "native/common/memory.h"
#include "native/common/scratch_owner.h"

namespace pmtwin {
namespace {

constexpr char kPrefix[] = "pmtwin-scratch.";
constexpr std::string_view kFiles = "pool";
constexpr std::uint64_t kRoomToLeave = 64ull << 20;
constexpr int kDepth = 2;  // a pool that is being created lies in a folder of its own (NewPoolFile)

// The folders of this process, for the signal handler and the end of the process: it may neither allocate nor touch
// objects. The name is there before `process` is set.
struct Slot {
  char folder[4096];
  volatile sig_atomic_t process;
};
std::array<Slot, 8> g_slots;

// Removes the files of a folder. By system calls alone, for the signal handler: readdir() allocates.
void remove_files(int above, const char* folder, int depth) {
  struct Entry {  // linux_dirent64, of which the C library has no declaration
    std::uint64_t number;
    std::int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[1];
  };
  const int directory = openat(above, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (directory < 0) return;
  alignas(Entry) char entries[4096];
  for (long got; (got = syscall(SYS_getdents64, directory, entries, sizeof entries)) > 0;) {
    for (long at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const Entry*>(entries + at);
      const char* name = entries + at + offsetof(Entry, name);
      at += entry->length;
      if (std::strncmp(name, kFiles.data(), kFiles.size()) != 0 || unlinkat(directory, name, 0) == 0) continue;
      if (depth > 1) remove_files(directory, name, depth - 1);
      unlinkat(directory, name, AT_REMOVEDIR);  // refused unless it is an empty folder
    }
  }
  close(directory);
}

// The mark goes last: what is left half-way is still known as ours.
bool remove_folder(const char* folder) {
  remove_files(AT_FDCWD, folder, kDepth);
  const int directory = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (directory < 0) return false;
  unlinkat(directory, "owner", 0);
  close(directory);
  return rmdir(folder) == 0;  // refused if it holds anything that we did not put there
}

void remove_own_folders() {
  for (Slot& slot : g_slots) {
    if (slot.process == getpid()) remove_folder(slot.folder);  // a fork's are its parent's
    slot.process = 0;
  }
}

// Whatever was not destroyed by the end of the process.
struct AtTheEnd {
  ~AtTheEnd() { remove_own_folders(); }
};
const AtTheEnd g_at_the_end;

extern "C" void remove_and_die(int signal_number) {
  remove_own_folders();
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

void end_on_signals() {
  struct sigaction action {}, before {};
  action.sa_handler = remove_and_die;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    if (sigaction(number, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
  }
  prctl(PR_SET_PDEATHSIG, SIGTERM);
}

InputError refused(const std::string& directory, const std::string& wrong) {
  return {"--path", directory, "a writable directory on the memory to measure", wrong};
}

std::string unusable() { return std::string("cannot be used: ") + std::strerror(errno); }

int slot_of(const std::string& folder) {
  for (std::size_t number = 0; number < g_slots.size(); ++number) {
    Slot& slot = g_slots[number];
    if (slot.process != 0 && slot.process == getpid()) continue;
    if (folder.size() >= sizeof slot.folder) throw refused(folder, "is too long a path");
    std::memcpy(slot.folder, folder.c_str(), folder.size() + 1);
    slot.process = getpid();
    return static_cast<int>(number);
  }
  return -1;  // removed by its object alone
}

std::optional<std::string> read_mark(const std::string& folder) {
  const int file = open((folder + "/owner").c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  char mark[1024];
  const ssize_t got = read(file, mark, sizeof mark);
  close(file);
  return got < 0 ? std::nullopt : std::optional(std::string(mark, static_cast<std::size_t>(got)));
}

std::uint64_t bytes_in(const std::string& folder) {
  std::uint64_t bytes = 0;
  DIR* listing = opendir(folder.c_str());
  if (listing == nullptr) return 0;
  while (const dirent* entry = readdir(listing)) {
    if (!std::string_view(entry->d_name).starts_with(kFiles)) continue;
    struct stat info {};
    const std::string path = folder + "/" + entry->d_name;
    if (lstat(path.c_str(), &info) != 0) continue;
    bytes += S_ISDIR(info.st_mode) ? bytes_in(path) : 512 * static_cast<std::uint64_t>(info.st_blocks);
  }
  closedir(listing);
  return bytes;
}

// With the folder's lock. Its process may have been killed before it had written its mark: then the folder is empty.
std::optional<std::string> remove_if_abandoned(const std::string& folder) {
  const std::optional<std::string> mark = read_mark(folder);
  if (!mark || mark->empty()) {
    if (bytes_in(folder) == 0 && remove_folder(folder.c_str())) return "removed " + folder + ", which was left empty";
    return std::nullopt;
  }
  const std::optional<ScratchOwner> owner = owner_of(*mark);
  if (!owner || may_live(*owner)) return std::nullopt;
  const std::uint64_t mib = bytes_in(folder) >> 20;
  if (!remove_folder(folder.c_str())) return std::nullopt;
  return "removed " + folder + " (" + std::to_string(mib) + " MiB), left by process " + std::to_string(owner->process) +
         ", which was killed: " + owner->command;
}

// As mkdtemp makes them: a copy that somebody keeps under a longer name is not ours.
bool is_our_name(std::string_view name) {
  constexpr std::size_t kRandom = 6;
  if (!name.starts_with(kPrefix) || name.size() != std::string_view(kPrefix).size() + kRandom) return false;
  return std::ranges::all_of(name.substr(name.size() - kRandom), [](unsigned char letter) { return std::isalnum(letter); });
}

std::vector<std::string> candidates_in(const std::string& directory) {
  std::vector<std::string> candidates;
  DIR* listing = opendir(directory.c_str());
  if (listing == nullptr) return candidates;
  while (const dirent* entry = readdir(listing)) {
    if (!is_our_name(entry->d_name)) continue;
    const std::string folder = directory + "/" + entry->d_name;
    struct stat info {};
    if (lstat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid()) {
      candidates.push_back(folder);
    }
  }
  closedir(listing);
  return candidates;
}

}  // namespace

std::vector<std::string> remove_abandoned(const std::string& directory) {
  std::vector<std::string> removed;
  for (const std::string& folder : candidates_in(directory)) {
    const int lock = try_lock_folder(folder);
    if (lock < 0) continue;
    if (std::optional<std::string> told = remove_if_abandoned(folder)) removed.push_back(std::move(*told));
    unlock_folder(lock);
  }
  return removed;
}

void check_directory(const std::string& directory, std::uint64_t needed_bytes) {
  struct stat info {};
  if (stat(directory.c_str(), &info) != 0) throw refused(directory, unusable());
  if (!S_ISDIR(info.st_mode)) throw refused(directory, "is no directory");
  if (access(directory.c_str(), W_OK | X_OK) != 0) throw refused(directory, unusable());
  const std::uint64_t free_bytes = free_bytes_in(directory);
  if (needed_bytes > 0 && free_bytes < needed_bytes + kRoomToLeave) {
    throw InputError("--path", directory,
                     "a directory with " + std::to_string((needed_bytes + kRoomToLeave) >> 20) + " MiB free",
                     "has " + std::to_string(free_bytes >> 20) + " MiB free");
  }
}

std::uint64_t free_bytes_in(const std::string& directory) {
  struct statvfs space {};
  if (statvfs(directory.c_str(), &space) != 0) return 0;
  const std::uint64_t free_bytes = std::uint64_t{space.f_bavail} * space.f_frsize;
  if (!is_memory_file_system(directory)) return free_bytes;
  const std::uint64_t memory = available_memory_bytes();
  return std::min(free_bytes, memory - memory / 10);  // a tenth is left to everybody else
}

bool is_memory_file_system(const std::string& directory) {
  struct statfs info {};
  return statfs(directory.c_str(), &info) == 0 && (info.f_type == TMPFS_MAGIC || info.f_type == RAMFS_MAGIC);
}

ScratchFolder::ScratchFolder(const std::string& directory, std::uint64_t needed_bytes, OnSignal on_signal)
    : process_(getpid()) {
  check_directory(directory, 0);
  removed_ = remove_abandoned(directory);
  check_directory(directory, needed_bytes);
  if (on_signal == OnSignal::kRemoveAndEnd) {
    for (const std::string& told : removed_) std::fprintf(stderr, "%s\n", told.c_str());
    end_on_signals();
  }
  lock_ = make_locked_folder(directory + "/" + kPrefix, folder_);
  if (lock_ < 0) throw refused(directory, unusable());
  try {
    slot_ = slot_of(folder_);
    write_mark(directory);
  } catch (const InputError&) {
    remove_folder(folder_.c_str());
    if (slot_ >= 0) g_slots[static_cast<std::size_t>(slot_)].process = 0;
    unlock_folder(lock_);
    throw;
  }
}

void ScratchFolder::write_mark(const std::string& directory) const {
  const std::string mark = mark_of(this_process());
  const int file = open((folder_ + "/owner").c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  const bool written = file >= 0 && write(file, mark.data(), mark.size()) == static_cast<ssize_t>(mark.size());
  const std::string why = unusable();
  if (file >= 0) close(file);
  if (!written) throw refused(directory, why);
}

ScratchFolder::~ScratchFolder() { remove(); }

void ScratchFolder::remove() {
  if (lock_ < 0 || getpid() != process_) return;  // a forked child ends: the folder is its parent's
  remove_folder(folder_.c_str());
  if (slot_ >= 0) g_slots[static_cast<std::size_t>(slot_)].process = 0;
  unlock_folder(std::exchange(lock_, -1));
}

}  // namespace pmtwin
