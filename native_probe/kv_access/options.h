#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pmtwin::probe {

// `--name=value` arguments of the programs of this folder. `--help` prints them with their defaults and ends.
class Options {
 public:
  // `defaults` are the names that are known. Throws InputError for others, and for arguments of another form.
  Options(int argc, char** argv, std::map<std::string, std::string> defaults);

  const std::string& text(const std::string& name) const { return values_.at(name); }
  // Throws InputError unless it is a whole number from `low` to `high`.
  std::uint64_t number(const std::string& name, std::uint64_t low, std::uint64_t high) const;
  std::vector<std::uint64_t> numbers(const std::string& name, std::uint64_t low, std::uint64_t high) const;

 private:
  std::map<std::string, std::string> values_;
};

// libpmem reads its environment when it is loaded: starts this program again with PMEM_IS_PMEM_FORCE=1 where the pool
// lies in a memory file system. Returns if nothing is to be done.
void restart_as_persistent(char** argv, const std::string& directory);

}  // namespace pmtwin::probe
