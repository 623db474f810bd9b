// The file of a persistent pool: what may be opened, and how one comes into being whole or not at all.
#pragma once

#include <cstdint>
#include <string>

#include "middleware/engines/pool_size.h"

namespace pmtwin::middleware {

bool exists(const std::string& path);

// Throws EngineError unless the file can be a pool at all: a regular file, readable and writable, and not too short.
void check_pool_file(const std::string& path);

// A new file that becomes `path` only when it is whole. Until then it lies in a folder of its own beside `path`, which
// the creator holds locked: a lock ends with its process, in whatever container that runs.
class NewPoolFile {
 public:
  // Removes what killed processes left there. Throws EngineError if the folder cannot be written to, or InputError if
  // `bytes` is too few or more than is free there.
  NewPoolFile(std::string path, std::uint64_t bytes);
  ~NewPoolFile();  // removes the temporary folder, and the file in it unless it was published
  NewPoolFile(const NewPoolFile&) = delete;
  NewPoolFile& operator=(const NewPoolFile&) = delete;

  std::string temporary_path() const;

  // Makes it durable and gives it its name. Throws EngineError, also if the name is taken meanwhile.
  void publish();

 private:
  const std::string path_;
  std::string temporary_folder_;
  int lock_ = -1;  // of the temporary folder
};

}  // namespace pmtwin::middleware
