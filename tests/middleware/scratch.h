// A folder in memory for the pools of one test, removed afterwards.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace pmtwin::middleware::testing {

class Scratch {
 public:
  Scratch() {
    char name[] = "/dev/shm/pmtwin-test-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~Scratch() { std::filesystem::remove_all(folder_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string operator/(const std::string& name) const { return folder_ + "/" + name; }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

 private:
  std::string folder_;
};

}  // namespace pmtwin::middleware::testing
