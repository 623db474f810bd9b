#include "native_probe/region.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/stat.h>
#include <numaif.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <vector>

#include "native/common/errors.h"
#include "native/common/files.h"
#include "native/common/placement.h"
#include "native/common/scratch_folder.h"
#include "native_probe/access.h"

namespace pmtwin::probe {
namespace {

constexpr std::uint64_t kStepBytes = 64u << 20;  // between two looks at the clock and the signals
constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint64_t kHugePageBytes = 2u << 20;

const std::string kAllowed = "a directory that this user can make files in";

constexpr std::size_t kMostNodes = 1024;  // of any kernel: CONFIG_NODES_SHIFT is at most 10
constexpr std::size_t kWordBits = 8 * sizeof(unsigned long);
using NodeMask = std::array<unsigned long, kMostNodes / kWordBits>;

NodeMask only(int node) {
  NodeMask mask{};
  mask.at(static_cast<std::size_t>(node) / kWordBits) = 1ul << (static_cast<std::size_t>(node) % kWordBits);
  return mask;
}

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw InputError("--path", path, kAllowed, what + ": " + std::strerror(errno));
}

long magic_of(int fd) {
  struct statfs system {};
  return fstatfs(fd, &system) == 0 ? static_cast<long>(system.f_type) : 0;
}

[[noreturn]] void fail_on_node(int node, const std::string& what) {
  throw InputError("--node", std::to_string(node), "a node whose memory this process may take", what);
}

int open_unnamed(const Folder& folder) {
  if (folder.node()) return fcntl(folder.fd(), F_DUPFD_CLOEXEC, 0);
  int fd = openat(folder.fd(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
  if (fd >= 0) return fd;
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) fail(folder.path(), "takes no file");
  const ScratchFolder scratch(folder.path(), 0, ScratchFolder::OnSignal::kLeaveToOthers);  // gone with its file's name
  fd = open(scratch.pool_path().c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) fail(folder.path(), "takes no file");
  return fd;
}

// Where the file system has no fallocate: written zeros, which run into a full device as well.
int write_zeros(int fd, std::uint64_t from, std::uint64_t bytes) {
  const std::vector<char> zeros(1u << 20);
  while (bytes > 0) {
    const ssize_t written =
        pwrite(fd, zeros.data(), std::min<std::uint64_t>(bytes, zeros.size()), static_cast<off_t>(from));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return -1;
    from += static_cast<std::uint64_t>(written);
    bytes -= static_cast<std::uint64_t>(written);
  }
  return 0;
}

int allocate(int fd, std::uint64_t from, std::uint64_t bytes) {
  int result = 0;
  do {
    result = fallocate(fd, 0, static_cast<off_t>(from), static_cast<off_t>(bytes));
  } while (result != 0 && errno == EINTR);
  return result != 0 && errno == EOPNOTSUPP ? write_zeros(fd, from, bytes) : result;
}

bool is_dax(int fd) {
#ifdef STATX_ATTR_DAX
  struct statx found {};
  if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &found) != 0) return false;
  return (found.stx_attributes & STATX_ATTR_DAX) != 0;
#else
  (void)fd;
  return false;
#endif
}

}  // namespace

Folder::Folder(const std::string& path) : path_(path) {
  fd_ = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
  if (fd_ < 0) fail(path, "cannot be opened");
}

Folder::Folder(int node) : path_("node " + std::to_string(node)), node_(node) {
  check_memory_node(node, "", "--node");
  fd_ = memfd_create("pmtwin-probe", MFD_CLOEXEC);
  if (fd_ < 0) fail_on_node(node, std::string("no memory file: ") + std::strerror(errno));
}

Folder::~Folder() {
  close(fd_);
}

std::string Folder::file_system() const {
  constexpr long kXfs = 0x58465342;
  constexpr long kRamfs = static_cast<long>(RAMFS_MAGIC);
  const long magic = magic_of(fd_);
  if (node_) return "memfd";
  if (magic == TMPFS_MAGIC) return "tmpfs";
  if (magic == EXT4_SUPER_MAGIC) return "ext";
  if (magic == kXfs) return "xfs";
  if (magic == static_cast<long>(BTRFS_SUPER_MAGIC)) return "btrfs";
  if (magic == OVERLAYFS_SUPER_MAGIC) return "overlay";
  if (magic == NFS_SUPER_MAGIC) return "nfs";
  if (magic == kRamfs) return "ramfs";
  if (magic == static_cast<long>(HUGETLBFS_MAGIC)) return "hugetlbfs";
  std::ostringstream text;
  text << "0x" << std::hex << magic;
  return text.str();
}

bool Folder::lives_in_memory() const {
  const std::string kind = file_system();
  return kind == "memfd" || kind == "tmpfs" || kind == "ramfs" || kind == "hugetlbfs";
}

Region::Region(const Folder& folder, std::uint64_t bytes, std::optional<int> bind_node,
               const std::function<void()>& on_progress)
    : bytes_(bytes) {
  try {
    fd_ = open_unnamed(folder);
    if (ftruncate(fd_, static_cast<off_t>(bytes)) != 0) fail(folder.path(), "takes no file of this size");
    map();
    if (data_ == nullptr) fail(folder.path(), "takes no file that can be mapped");
    const NodeMask mask = bind_node ? only(*bind_node) : NodeMask{};
    if (bind_node) {  // before the pages exist; where the device decides, this has no effect
      const long bound = mbind(data_, bytes, MPOL_BIND, mask.data(), kMostNodes + 1, 0);
      if (bound != 0 && folder.node()) fail_on_node(*bind_node, std::string("mbind: ") + std::strerror(errno));
    }
    for (std::uint64_t at = 0; at < bytes; at += kStepBytes) {
      if (bind_node) {  // fallocate would take pages by the policy of the thread, not by that of the mapping
        set_mempolicy(MPOL_BIND, mask.data(), kMostNodes + 1);
      }
      const int result = allocate(fd_, at, std::min(kStepBytes, bytes - at));
      const int error = errno;
      if (bind_node) set_mempolicy(MPOL_DEFAULT, nullptr, 0);
      errno = error;
      if (result != 0) fail(folder.path(), "has no room for " + std::to_string(bytes) + " B (--region-bytes)");
      on_progress();
    }
    fill(on_progress);
    if (folder.node()) check_node(*folder.node());
  } catch (...) {
    release();
    throw;
  }
}

Region::~Region() {
  release();
}

void Region::release() {
  if (data_ != nullptr) munmap(data_, bytes_);
  if (fd_ >= 0) close(fd_);
}

void Region::map() {
  void* found = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED_VALIDATE | MAP_SYNC, fd_, 0);
  synchronous_ = found != MAP_FAILED;
  if (!synchronous_) found = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (found == MAP_FAILED) return;
  data_ = static_cast<char*>(found);
  direct_access_ = synchronous_ || is_dax(fd_);
  madvise(data_, bytes_, MADV_HUGEPAGE);  // as a store on persistent memory would have it; a hint where refused
}

// Every line is written once: a page that was allocated but never written may be read as one page of zeros.
void Region::fill(const std::function<void()>& on_progress) {
  for (std::uint64_t at = 0; at < bytes_; at += kStepBytes) {
    const std::uint64_t end = std::min(at + kStepBytes, bytes_);
    for (std::uint64_t line = at; line < end; line += kLineBytes) std::memcpy(data_ + line, kStoredLine, kLineBytes);
    on_progress();
  }
}

// Where the pages are after the first touch: a kernel that falls back to another node would spoil every figure unseen.
void Region::check_node(int node) const {
  constexpr std::uint64_t kMostPages = 4096;
  const std::uint64_t step = std::max<std::uint64_t>(bytes_ / kMostPages / kPageBytes, 1) * kPageBytes;
  std::vector<void*> pages;
  for (std::uint64_t at = 0; at < bytes_; at += step) pages.push_back(data_ + at);
  std::vector<int> status(pages.size(), -1);
  if (move_pages(0, pages.size(), pages.data(), nullptr, status.data(), 0) != 0) {
    if (errno == ENOSYS) return;  // a kernel without NUMA has one node
    fail_on_node(node, std::string("move_pages: ") + std::strerror(errno));
  }
  const auto elsewhere = std::count_if(status.begin(), status.end(), [&](int found) { return found != node; });
  if (elsewhere == 0) return;
  fail_on_node(node, std::to_string(elsewhere) + " of " + std::to_string(pages.size()) +
                         " pages are not on it after their first touch");
}

bool Region::huge_pages() const {
  std::ostringstream begins;
  begins << std::hex << reinterpret_cast<std::uintptr_t>(data_) << '-';
  std::istringstream lines(read_text("/proc/self/smaps").value_or(""));
  bool ours = false;
  std::uint64_t huge_kib = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find('-') != std::string::npos && line.find(':') > line.find(' ')) ours = line.starts_with(begins.str());
    if (!ours) continue;
    std::istringstream words(line);
    std::string name;
    std::uint64_t kib = 0;
    words >> name >> kib;
    if (name == "ShmemPmdMapped:" || name == "FilePmdMapped:") huge_kib += kib;
    if (name == "KernelPageSize:" && kib * 1024 >= kHugePageBytes) return true;  // hugetlbfs
  }
  return huge_kib * 1024 >= bytes_ / 2;
}

std::optional<int> Region::node() const {
  int node = -1;
  if (get_mempolicy(&node, nullptr, 0, data_, MPOL_F_NODE | MPOL_F_ADDR) != 0 || node < 0) return std::nullopt;
  return node;
}

}  // namespace pmtwin::probe
