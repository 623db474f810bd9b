#include "native/common/scratch_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

#include "native/common/errors.h"

namespace pmtwin {
namespace {

constexpr char kPrefix[] = "pmtwin-kv.";
constexpr std::string_view kMark = "pmtwin key-value probe: this folder may be removed when its owner is gone\n";
constexpr std::uint64_t kRoomToLeave = 64ull << 20;

// For the signal handler, which may neither allocate nor touch objects: the folder of this process.
char g_owner[4096], g_folder[4096];
volatile sig_atomic_t g_armed = 0;

// Removes the pools of a folder, what a creation left half-way included. By system calls alone, for the signal handler:
// readdir() allocates.
void remove_pools(const char* folder) {
  struct Entry {  // linux_dirent64, of which the C library has no declaration
    std::uint64_t number;
    std::int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[1];
  };
  const int directory = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (directory < 0) return;
  alignas(Entry) char entries[4096];
  for (long got; (got = syscall(SYS_getdents64, directory, entries, sizeof entries)) > 0;) {
    for (long at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const Entry*>(entries + at);
      const char* name = entries + at + offsetof(Entry, name);
      if (std::strncmp(name, "pool", 4) == 0) unlinkat(directory, name, 0);  // refused for a directory
      at += entry->length;
    }
  }
  close(directory);
}

void remove_own_files() {
  remove_pools(g_folder);
  unlink(g_owner);
  rmdir(g_folder);
}

extern "C" void remove_and_die(int signal_number) {
  if (g_armed) remove_own_files();
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

InputError refused(const std::string& directory, const std::string& wrong) {
  return {"--path", directory, "a writable directory on the memory to measure", wrong};
}

std::string unusable() { return std::string("cannot be used: ") + std::strerror(errno); }

void copy_path(char (&target)[4096], const std::string& path) {
  if (path.size() >= sizeof target) throw refused(path, "is too long a path");
  std::memcpy(target, path.c_str(), path.size() + 1);
}

// Opens and locks the owner file of a folder; -1 unless it is provably ours and its process is gone.
int lock_abandoned(const std::string& folder) {
  struct stat info {};
  if (lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid()) return -1;
  const int file = open((folder + "/owner").c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return -1;
  char mark[256];
  const ssize_t got = read(file, mark, sizeof mark);
  const bool ours = fstat(file, &info) == 0 && S_ISREG(info.st_mode) && got >= 0 &&
                    std::string_view(mark, static_cast<std::size_t>(got)) == kMark;
  if (!ours || flock(file, LOCK_EX | LOCK_NB) != 0) {
    close(file);
    return -1;
  }
  return file;
}

bool remove_if_abandoned(const std::string& folder) {
  const int lock = lock_abandoned(folder);
  if (lock < 0) return false;
  remove_pools(folder.c_str());
  unlink((folder + "/owner").c_str());
  const bool gone = rmdir(folder.c_str()) == 0;  // refused if it holds anything that we did not put there
  close(lock);
  return gone;
}

int remove_abandoned(const std::string& directory) {
  std::vector<std::string> candidates;
  DIR* listing = opendir(directory.c_str());
  if (listing == nullptr) return 0;
  while (const dirent* entry = readdir(listing)) {
    if (std::string_view(entry->d_name).starts_with(kPrefix)) candidates.push_back(directory + "/" + entry->d_name);
  }
  closedir(listing);
  return static_cast<int>(std::count_if(candidates.begin(), candidates.end(), remove_if_abandoned));
}

std::uint64_t available_memory_bytes() {
  std::uint64_t kib = UINT64_MAX >> 10;
  if (std::FILE* file = std::fopen("/proc/meminfo", "re")) {
    char line[256];
    unsigned long long value = 0;
    while (std::fgets(line, sizeof line, file) != nullptr) {
      if (std::sscanf(line, "MemAvailable: %llu kB", &value) == 1) kib = value;
    }
    std::fclose(file);
  }
  return kib << 10;
}

void check_directory(const std::string& directory, std::uint64_t needed_bytes) {
  struct stat info {};
  if (stat(directory.c_str(), &info) != 0) throw refused(directory, unusable());
  if (!S_ISDIR(info.st_mode)) throw refused(directory, "is no directory");
  if (access(directory.c_str(), W_OK | X_OK) != 0) throw refused(directory, "is not writable");
  struct statvfs space {};
  if (statvfs(directory.c_str(), &space) != 0) throw refused(directory, unusable());
  std::uint64_t free_bytes = static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize;
  if (is_memory_file_system(directory)) free_bytes = std::min(free_bytes, available_memory_bytes());
  if (free_bytes < needed_bytes + kRoomToLeave) {
    throw InputError("--path", directory,
                     "a directory with " + std::to_string((needed_bytes + kRoomToLeave) >> 20) + " MiB free",
                     "has " + std::to_string(free_bytes >> 20) + " MiB free");
  }
}

}  // namespace

bool is_memory_file_system(const std::string& directory) {
  struct statfs info {};
  return statfs(directory.c_str(), &info) == 0 && (info.f_type == TMPFS_MAGIC || info.f_type == RAMFS_MAGIC);
}

ScratchFolder::ScratchFolder(const std::string& directory, std::uint64_t needed_bytes) : process_(getpid()) {
  struct stat info {};
  if (stat(directory.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) stale_removed_ = remove_abandoned(directory);
  check_directory(directory, needed_bytes);
  // mkdtemp puts six characters of its own in place of the last ones.
  std::string pattern = directory + "/" + kPrefix + "XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) throw refused(directory, unusable());
  folder_ = pattern;
  copy_path(g_owner, folder_ + "/owner");
  copy_path(g_folder, folder_);
  g_armed = 1;
  struct sigaction action {};
  action.sa_handler = remove_and_die;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaction(number, &action, nullptr);
  // Locked under another name first: whoever finds `owner` finds it locked as long as we live.
  const std::string fresh = folder_ + "/owner.new";
  lock_ = open(fresh.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (lock_ < 0 || flock(lock_, LOCK_EX | LOCK_NB) != 0 ||
      write(lock_, kMark.data(), kMark.size()) != static_cast<ssize_t>(kMark.size()) ||
      rename(fresh.c_str(), g_owner) != 0) {
    const std::string why = unusable();
    unlink(fresh.c_str());
    remove_own_files();
    g_armed = 0;
    throw refused(directory, why);
  }
}

ScratchFolder::~ScratchFolder() {
  if (getpid() != process_) return;  // a forked child ends: the folder is its parent's
  g_armed = 0;
  remove_own_files();
  close(lock_);
}

}  // namespace pmtwin
