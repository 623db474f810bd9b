// Trying in a child process what may kill or hang the process that does it.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace pmtwin::middleware {

// What `attempt` returned in the child (empty if all was well); or how the child ended: "ended with SIGBUS", "did not
// end within 10 s". The child is gone when this returns. Throws std::system_error if no child can be made.
std::string try_in_child(const std::function<std::string()>& attempt, std::chrono::milliseconds timeout);

}  // namespace pmtwin::middleware
