#include "native_probe/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "native/common/errors.h"

namespace pmtwin::probe {
namespace {

namespace fs = std::filesystem;

// A new file beside `name`, removed again unless it was renamed.
class Beside {
 public:
  explicit Beside(const std::string& name) : temporary_(name + ".tmp-" + std::to_string(getpid())) {
    fd_ = open(temporary_.c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0644);
    if (fd_ < 0) throw std::system_error(errno, std::generic_category(), temporary_);
  }
  ~Beside() {
    close(fd_);
    if (!temporary_.empty()) unlink(temporary_.c_str());
  }
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;

  int fd() const { return fd_; }

  void rename_to(const std::string& name) {
    if (fsync(fd_) != 0 || rename(temporary_.c_str(), name.c_str()) != 0) {
      throw std::system_error(errno, std::generic_category(), name);
    }
    temporary_.clear();
  }

 private:
  std::string temporary_;
  int fd_;
};

}  // namespace

void write_all(int fd, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(fd, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw std::system_error(errno, std::generic_category(), "cannot write the result");
    done += static_cast<std::size_t>(written);
  }
}

Output::Output(const std::string& name) : name_(name) {
  if (name == "-") return;
  std::error_code error;
  const fs::file_status found = fs::status(name, error);
  if (fs::exists(found)) {
    if (!fs::is_regular_file(found)) throw InputError("--output", name, "a new or regular file", "is of another kind");
    name_ = fs::canonical(name).string();
  }
  try {
    const Beside attempt(name_);
  } catch (const std::system_error& failure) {
    throw InputError("--output", name, "a file that can be written", "cannot be written: " + failure.code().message());
  }
}

void Output::write(const std::string& text) const {
  if (name_ == "-") {
    write_all(STDOUT_FILENO, text);
    return;
  }
  Beside file(name_);
  write_all(file.fd(), text);
  file.rename_to(name_);
}

}  // namespace pmtwin::probe
