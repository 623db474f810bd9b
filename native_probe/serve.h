// The two ways to get cases and give results: a line for a line, and file for file.
#pragma once

#include <string>

#include "native_probe/session.h"

namespace pmtwin::probe {

// Prints {"context": ...}, then for each line of standard input a line: {"case", "benchmarks", "seconds"}, or {"case",
// "error"} if the case cannot be run here. Returns at the end of the input.
// Throws Interrupted when a signal arrived, with the repetitions finished by then printed; std::system_error if nobody
// reads any more.
void serve(Session& session);

// Runs all cases of a file and writes {"context", "benchmarks"}. A signal ends it early, with what was finished
// written. All cases are read, and the output tried, before anything is made or measured; the output is replaced in one
// step. Throws InputError if the file is no JSON list of cases, the output cannot be written, or the session refuses.
void run_file(const SessionOptions& options, const std::string& cases, const std::string& output);

}  // namespace pmtwin::probe
