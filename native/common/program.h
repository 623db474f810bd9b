// How a program ends with an error: a line on standard error, behind the program's name, and an exit code.
#pragma once

#include <cstdio>
#include <exception>

#include "native/common/errors.h"

namespace pmtwin {

// The exit code that `run` returns; that of `InputError` for an error that the user can mend, 1 for any other error.
template <class Run>
int exit_code_of(const char* program, Run run) {
  try {
    return run();
  } catch (const InputError& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    return InputError::kExitCode;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    return 1;
  }
}

}  // namespace pmtwin
