// `--name=value` arguments of a program.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pmtwin {

// `--help` prints the arguments with their defaults and ends.
class ProgramOptions {
 public:
  // `defaults` are the names that are known. Throws InputError for others, and for arguments of another form.
  ProgramOptions(int argc, char** argv, std::map<std::string, std::string> defaults);

  const std::string& text(const std::string& name) const { return values_.at(name); }
  // Throws InputError unless it is a whole number from `low` to `high`.
  std::uint64_t number(const std::string& name, std::uint64_t low, std::uint64_t high) const;
  std::vector<std::uint64_t> numbers(const std::string& name, std::uint64_t low, std::uint64_t high) const;
  // Throws InputError unless it is a number from `low` to `high`.
  double real(const std::string& name, double low, double high) const;

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace pmtwin
