// Reads the file of a policy that `pmtwin export` wrote: JSON, which can run no code. Format and fields:
// docs/steering-policy.md.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "middleware/policy/policy.h"

namespace pmtwin::policy {

// The file is absent, not JSON, of another format or schema, or a field is missing or not accepted.
class PolicyFileError : public std::runtime_error {
 public:
  PolicyFileError(const std::string& path, const std::string& what) : std::runtime_error(path + ": " + what) {}
};

// Throws PolicyFileError, naming the file, the field and what is allowed.
std::unique_ptr<Policy> load_policy(const std::string& path);

}  // namespace pmtwin::policy
