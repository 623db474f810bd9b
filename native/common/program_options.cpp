#include "native/common/program_options.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "native/common/errors.h"

namespace pmtwin {
namespace {

std::uint64_t parse(const std::string& name, std::string_view text, std::uint64_t low, std::uint64_t high) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < low || value > high) {
    throw InputError("--" + name, std::string(text),
                     "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
  }
  return value;
}

}  // namespace

ProgramOptions::ProgramOptions(int argc, char** argv, std::map<std::string, std::string> defaults) : values_(std::move(defaults)) {
  for (int index = 1; index < argc; ++index) {
    const std::string_view argument = argv[index];
    const auto equals = argument.find('=');
    const std::string name(argument.substr(0, equals).substr(argument.starts_with("--") ? 2 : 0));
    if (!argument.starts_with("--") || equals == std::string_view::npos || !values_.contains(name)) {
      std::string usage, known;
      for (const auto& [each, value] : values_) {
        usage += " [--" + each + "=" + value + "]";
        known += "--" + each + ", ";
      }
      if (argument == "--help" || argument == "-h") {
        std::printf("usage: %s%s\n", program_invocation_short_name, usage.c_str());
        std::exit(0);
      }
      if (argument.starts_with("--") && values_.contains(name)) {
        throw InputError::missing("the value of --" + name, "--" + name + "=VALUE");
      }
      throw InputError("option", std::string(argument), known + "--help", "is unknown");
    }
    values_[name] = argument.substr(equals + 1);
  }
}

std::uint64_t ProgramOptions::number(const std::string& name, std::uint64_t low, std::uint64_t high) const {
  return parse(name, values_.at(name), low, high);
}

std::vector<std::uint64_t> ProgramOptions::numbers(const std::string& name, std::uint64_t low, std::uint64_t high) const {
  std::vector<std::uint64_t> result;
  std::string_view rest = values_.at(name);
  for (;;) {
    const auto comma = rest.find(',');
    result.push_back(parse(name, rest.substr(0, comma), low, high));
    if (comma == std::string_view::npos) return result;
    rest.remove_prefix(comma + 1);
  }
}

double ProgramOptions::real(const std::string& name, double low, double high) const {
  const std::string& text = values_.at(name);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= low && value <= high)) {
    std::ostringstream allowed;
    allowed << "a number from " << low << " to " << high;
    throw InputError("--" + name, text, allowed.str());
  }
  return value;
}

}  // namespace pmtwin
