// Errors that the user can mend: one line, naming the field, its value and what is allowed.
#pragma once

#include <stdexcept>
#include <string>

namespace pmtwin {

class InputError : public std::runtime_error {
 public:
  static constexpr int kExitCode = 2;

  // `wrong`: what is wrong with the value, where that is more than that it is not among the allowed ones.
  InputError(const std::string& field, const std::string& value, const std::string& allowed,
             const std::string& wrong = "is not accepted")
      : std::runtime_error(field + ": '" + value + "' " + wrong + "; allowed: " + allowed) {}

  // The field is not there: "--path is missing: a directory".
  static InputError missing(const std::string& field, const std::string& allowed) {
    return InputError(field + " is missing: " + allowed);
  }
  // The other options leave this one without use: `why` completes "--node 0 ...": "does not go with --path; ...".
  static InputError conflict(const std::string& field, const std::string& value, const std::string& why) {
    return InputError(field + " " + value + " " + why);
  }
  // The same error in a larger thing.
  InputError within(const std::string& place) const { return InputError(place + ": " + what()); }

 private:
  explicit InputError(const std::string& line) : std::runtime_error(line) {}
};

// SIGINT or SIGTERM arrived where work had to stop at once.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

}  // namespace pmtwin
