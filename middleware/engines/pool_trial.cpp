#include "middleware/engines/pool_trial.h"

#include <dlfcn.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "middleware/engines/child_program.h"
#include "middleware/engines/pool_file.h"

namespace pmtwin::middleware {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "pmtwin-pool-check";

// Path of the code of this file: the Python module, or the program.
std::vector<fs::path> folders() {
  std::vector<fs::path> folders;
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&try_pool), &info) != 0 && info.dli_fname != nullptr) {
    folders.push_back(fs::path(info.dli_fname).parent_path());
  }
  std::error_code error;  // what dladdr says of a program is how it was called, which may be without a folder
  folders.push_back(fs::read_symlink("/proc/self/exe", error).parent_path());
  return folders;
}

std::string program_of(const PmemkvOptions& options) {
  if (!options.check_program.empty()) return options.check_program;
  for (const fs::path& folder : folders()) {
    std::error_code error;
    if (!folder.empty() && fs::is_regular_file(folder / kProgram, error)) return folder / kProgram;
  }
  return kProgram;  // in PATH
}

[[noreturn]] void fail_without(const std::string& program, const PmemkvOptions& options,
                               const std::system_error& error) {
  const std::string before = options.path + ": no check of the pool: program " + program;
  if (error.code().value() != ENOENT) throw EngineError(before + " cannot be started: " + error.code().message());
  throw EngineError(before + " is not there (nor beside " + folders().back().string() + "); it is built beside the " +
                    "middleware and installed in bin: put its folder into PATH, or its path into " +
                    "PmemkvOptions::check_program");
}

}  // namespace

void try_pool(const PmemkvOptions& options) {
  check_pool_file(options.path);
  const std::string program = program_of(options);
  try {
    const std::vector<std::string> arguments{options.path, std::to_string(options.timeout.count()),
                                             std::to_string(options.check_time.count()),
                                             std::to_string(options.check_changes_up_to)};
    const ChildOutcome outcome = run_child(program, arguments, options.timeout);
    if (!outcome.began) {
      throw EngineError(options.path + ": no check of the pool: program " + program + " " + outcome.text);
    }
    if (!outcome.answered) {
      throw EngineError(options.path + ": the pool is corrupt: using it in a child process " + outcome.text);
    }
    if (!outcome.text.empty()) throw EngineError(options.path + ": " + outcome.text);
  } catch (const std::system_error& error) {
    fail_without(program, options, error);
  }
}

}  // namespace pmtwin::middleware
