// Errors that the user can mend: one line, naming the field, its value and what is allowed.
#pragma once

#include <stdexcept>
#include <string>

namespace pmtwin {

class InputError : public std::runtime_error {
 public:
  static constexpr int kExitCode = 2;

  InputError(const std::string& field, const std::string& value, const std::string& allowed)
      : std::runtime_error(field + ": '" + value + "' is not accepted; allowed: " + allowed) {}
};

// SIGINT or SIGTERM arrived where work had to stop at once.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

}  // namespace pmtwin
