#include "middleware/engines/child_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "middleware/engines/child_report.h"
#include "native/common/interruption.h"

namespace pmtwin::middleware {
namespace {

using std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

// Starts it with `result` as its standard output. Returns 0 or an errno.
int start(const std::string& program, const std::vector<std::string>& arguments, int result, pid_t& child) {
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  // Signals that end this process, which ends the program then: by themselves they would look like a death of its own.
  sigset_t held;
  sigemptyset(&held);
  for (const int sign : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&held, sign);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &held);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, result, STDOUT_FILENO);
  const int error = posix_spawnp(&child, program.c_str(), &files, &attributes, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return error;
}

// Reads until the child closes its end. False if nothing comes for `patience`. Throws what ends long work.
bool read_all(int result, milliseconds patience, std::string& said) {
  constexpr milliseconds kSlice{50};  // a signal may come just before a wait, or to another thread
  auto until = Steady::now() + patience;
  for (;;) {
    Interruptible::check();
    const auto left = std::max(std::chrono::ceil<milliseconds>(until - Steady::now()), milliseconds(0));
    struct pollfd ready {result, POLLIN, 0};
    const int events = poll(&ready, 1, static_cast<int>(std::min(left, kSlice).count()));
    if (events < 0 && errno != EINTR) return false;
    if (events == 0 && left <= kSlice) return false;
    if (events <= 0) continue;
    char buffer[512];
    const ssize_t bytes = read(result, buffer, sizeof buffer);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return true;
    said.append(buffer, static_cast<std::size_t>(bytes));
    until = Steady::now() + patience;
  }
}

// Ends the program, unless it was waited for.
class Child {
 public:
  Child(pid_t process, int result) : process_(process), result_(result) {}
  ~Child() {
    close(result_);
    if (process_ == 0) return;
    int status = 0;
    kill(process_, SIGKILL);
    wait(status);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t wait(int& status) {
    pid_t waited = 0;
    do waited = waitpid(process_, &status, 0);
    while (waited < 0 && errno == EINTR);
    process_ = 0;
    return waited;
  }

 private:
  pid_t process_;
  const int result_;
};

std::string ending(pid_t waited, int status) {
  if (waited < 0) return "ended without an answer";
  if (WIFSIGNALED(status)) return std::string("ended with SIG") + sigabbrev_np(WTERMSIG(status));
  return "ended with exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

ChildOutcome run_child(const std::string& program, const std::vector<std::string>& arguments, milliseconds patience) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  pid_t process = 0;
  const int error = start(program, arguments, ends[1], process);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    throw std::system_error(error, std::generic_category(), program);
  }
  Child child(process, ends[0]);
  std::string said;
  const bool ended = read_all(ends[0], patience, said);
  if (!ended) kill(process, SIGKILL);
  int status = 0;
  const pid_t waited = child.wait(status);
  const bool began = !said.empty();
  if (!ended) return {began, false, "made no progress for " + std::to_string(patience.count()) + " ms"};
  const std::size_t begin = said.find_first_not_of(kChildAlive);
  const bool whole =
      begin != std::string::npos && said[begin] == kChildAnswer && said.size() > begin + 1 && said.back() == kChildEnd;
  if (!whole) return {began, false, ending(waited, status)};
  return {began, true, said.substr(begin + 1, said.size() - begin - 2)};
}

}  // namespace pmtwin::middleware
