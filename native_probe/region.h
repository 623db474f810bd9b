// The memory that is measured: a file without a name in the user's directory, or of a NUMA node alone, mapped.
//
// Of a node it is a memfd: the same pages that a file in /dev/shm has, without a file system that has to be there.
// The file never has a name (O_TMPFILE; where the file system cannot do that, it loses its name before anything is
// written), so that nothing remains of it however the process ends. All of it is allocated before it is mapped: a
// device that runs full gives an error here, and not a SIGBUS in a measurement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace pmtwin::probe {

struct Room;

// A directory that was opened, and the kind of file system it is on.
class Folder {
 public:
  // Throws InputError unless `path` is a directory that can be opened. A device or FIFO is never opened.
  explicit Folder(const std::string& path);
  // The memory of a NUMA node, whatever file systems there are. Throws InputError unless the node has memory.
  explicit Folder(int node);
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  int fd() const { return fd_; }
  const std::string& path() const { return path_; }
  std::optional<int> node() const { return node_; }  // of which all memory has to be; none of a directory
  std::string file_system() const;                   // tmpfs, ext, xfs, ..., or its magic number; memfd of a node
  bool lives_in_memory() const;                      // tmpfs, ramfs, hugetlbfs, memfd

 private:
  std::string path_;
  int fd_;
  std::optional<int> node_;
};

class Region {
 public:
  // `bytes` is a multiple of 2 MiB. `bind_node` is the NUMA node to take the memory from, if the kernel has the choice.
  // `on_progress` is called now and then and may throw to stop.
  // Throws InputError if the directory cannot be written to, or has no room after all; and of a node's memory if the
  // kernel does not let it be bound, or if pages are on another node once each was touched.
  Region(const Folder& folder, std::uint64_t bytes, std::optional<int> bind_node,
         const std::function<void()>& on_progress);
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  char* data() const { return data_; }
  std::uint64_t bytes() const { return bytes_; }
  bool synchronous() const { return synchronous_; }      // MAP_SYNC: stores reach the medium without msync
  bool direct_access() const { return direct_access_; }  // the file is DAX: no page cache between
  bool huge_pages() const;                               // at least half of it is mapped by huge pages
  std::optional<int> node() const;                       // NUMA node of its memory, if the kernel tells

 private:
  void map();
  void release();
  void fill(const std::function<void()>& on_progress);
  void check_node(int node) const;

  std::uint64_t bytes_;
  int fd_ = -1;
  char* data_ = nullptr;
  bool synchronous_ = false;
  bool direct_access_ = false;
};

}  // namespace pmtwin::probe
