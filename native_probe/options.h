// The command line.
#pragma once

#include <string>
#include <vector>

#include "native_probe/session.h"

namespace pmtwin::probe {

struct Options {
  SessionOptions session;
  bool help = false;
  bool version = false;
  bool serve = false;
  std::string cases;  // a file, or - for standard input
  std::string output = "-";
};

extern const char* const kUsage;

// Throws InputError for an unknown option, a missing or a wrong value, and options that do not go together.
Options parse_options(const std::vector<std::string>& words);

}  // namespace pmtwin::probe
