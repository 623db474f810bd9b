#include "native/common/scratch_owner.h"

#include <unistd.h>

#include <charconv>
#include <sstream>
#include <vector>

#include "native/common/files.h"

namespace pmtwin {
namespace {

constexpr std::string_view kTitle = "pmtwin scratch folder: may be removed when its process is gone";
constexpr std::size_t kMostCommand = 200;

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Field 22 of /proc/PID/stat; its second field is a name in parentheses, which may hold anything.
std::string start_of(int process) {
  const std::string text = read_text("/proc/" + std::to_string(process) + "/stat").value_or("");
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) return "";
  std::istringstream fields(text.substr(name_end + 1));
  std::string field;
  for (int number = 3; number <= 22; ++number) fields >> field;
  return field;
}

// Words without the interpreter's; one line.
std::string own_command() {
  std::istringstream text(read_text("/proc/self/cmdline").value_or(""));
  std::vector<std::string> words;
  for (std::string word; std::getline(text, word, '\0');) words.push_back(word);
  if (words.size() > 1 && base_name(words[0]).starts_with("python")) words.erase(words.begin());
  if (words.size() > 1 && words[0] == "-m") words.erase(words.begin());
  if (!words.empty()) words[0] = base_name(words[0]);
  std::string command;
  for (const std::string& word : words) command += (command.empty() ? "" : " ") + word;
  for (char& letter : command) {
    if (static_cast<unsigned char>(letter) < ' ') letter = ' ';
  }
  return command.substr(0, kMostCommand);
}

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

std::string boot_id() { return read_text("/proc/sys/kernel/random/boot_id").value_or(""); }

}  // namespace

ScratchOwner this_process() { return {getpid(), start_of(getpid()), boot_id(), host_name(), own_command()}; }

std::string mark_of(const ScratchOwner& owner) {
  return std::string(kTitle) + "\nprocess " + std::to_string(owner.process) + "\nstarted " + owner.started + "\nboot " +
         owner.boot + "\nhost " + owner.host + "\ncommand " + owner.command + "\n";
}

std::optional<ScratchOwner> owner_of(std::string_view mark) {
  std::istringstream lines{std::string(mark)};
  std::string line;
  if (!std::getline(lines, line) || line != kTitle) return std::nullopt;
  ScratchOwner owner;
  const auto value = [&](std::string_view name) {
    if (!std::getline(lines, line) || !line.starts_with(name)) return std::string();
    return line.substr(name.size());
  };
  const std::string process = value("process ");
  const auto read = std::from_chars(process.data(), process.data() + process.size(), owner.process);
  if (read.ec != std::errc() || owner.process <= 0) return std::nullopt;
  owner.started = value("started ");
  owner.boot = value("boot ");
  owner.host = value("host ");
  owner.command = value("command ");
  return owner;
}

bool may_live(const ScratchOwner& owner) {
  if (owner.boot == boot_id()) return start_of(owner.process) == owner.started;
  return owner.host != host_name();
}

}  // namespace pmtwin
