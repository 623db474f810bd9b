#include "native_probe/serve.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <iterator>

#include "native/common/errors.h"
#include "native/common/files.h"
#include "native_probe/interrupt.h"
#include "native_probe/output.h"

namespace pmtwin::probe {
namespace {

using nlohmann::json;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t kLongestLine = 1u << 20;

// Strings of the user may hold anything; what is no UTF-8 is replaced.
std::string dumped(const json& value, int indent = -1) {
  return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

// The context to be read, and a line for each repetition: its histogram alone has hundreds of numbers.
std::string document(const json& context, const std::vector<json>& benchmarks) {
  std::string text = "{\n\"context\": " + dumped(context, 1) + ",\n\"benchmarks\": [\n";
  for (const json& one : benchmarks) text += dumped(one) + (&one == &benchmarks.back() ? "\n" : ",\n");
  return text + "]\n}\n";
}

// Standard input by lines, ended by a signal: a stream would wait on.
class Lines {
 public:
  bool next(std::string& line) {
    for (;;) {
      check_interrupt();
      if (const auto end = buffer_.find('\n'); end != std::string::npos) {
        line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        return true;
      }
      if (buffer_.size() > kLongestLine) throw InputError("case", buffer_.substr(0, 40) + "...", "a line below 1 MiB");
      pollfd waited[] = {{STDIN_FILENO, POLLIN, 0}, {interrupt_fd(), POLLIN, 0}};
      if (poll(waited, 2, -1) < 0 || waited[1].revents != 0) continue;
      char part[4096];
      const ssize_t got = read(STDIN_FILENO, part, sizeof part);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) {
        line.swap(buffer_);
        buffer_.clear();
        return !line.empty();
      }
      buffer_.append(part, static_cast<std::size_t>(got));
    }
  }

 private:
  std::string buffer_;
};

json answer(Session& session, const std::string& line) {
  json reply = {{"case", line}};
  const auto begin = std::chrono::steady_clock::now();
  try {
    reply["case"] = json::parse(line);
    reply["benchmarks"] = session.run(parse_case(reply["case"]));
    reply["seconds"] = Seconds(std::chrono::steady_clock::now() - begin).count();
  } catch (const json::exception& error) {
    reply["error"] = std::string("case: no JSON: ") + error.what();
  } catch (const InputError& error) {
    reply["error"] = error.what();
  }
  return reply;
}

const std::string kAllowed = "a file with a JSON list of cases";

std::vector<Case> read_cases(const std::string& name) {
  std::string text;
  if (name == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
    check_interrupt();
  } else {
    const auto found = read_text(name);
    if (!found) throw InputError("--cases", name, kAllowed, "cannot be read");
    text = *found;
  }
  json asked;
  try {
    asked = json::parse(text);
  } catch (const json::parse_error& error) {
    throw InputError("--cases", name, kAllowed, "is no JSON at byte " + std::to_string(error.byte));
  }
  if (asked.is_object() && asked.contains("cases")) asked = json(asked["cases"]);
  if (!asked.is_array() || asked.empty()) throw InputError("--cases", name, kAllowed, "holds no case");
  std::vector<Case> cases;
  for (const json& one : asked) {
    try {
      cases.push_back(parse_case(one));
    } catch (const InputError& error) {
      throw error.within("--cases: " + name + ", case " + std::to_string(cases.size() + 1));
    }
  }
  return cases;
}

void tell(std::size_t number, std::size_t all, const json& benchmarks) {
  const json& last = benchmarks.back();
  const bool bandwidth = last.contains("bandwidth_mib_s");
  std::fprintf(stderr, "[%zu/%zu] %s, %d threads: %.6g %s\n", number, all, last["run_name"].get<std::string>().c_str(),
               last["threads"].get<int>(), last[bandwidth ? "bandwidth_mib_s" : "latency_mean_ns"].get<double>(),
               bandwidth ? "MiB/s" : "ns");
}

}  // namespace

void serve(Session& session) {
  write_all(STDOUT_FILENO, dumped({{"context", session.context()}}) + "\n");
  Lines lines;
  for (std::string line; lines.next(line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    write_all(STDOUT_FILENO, dumped(answer(session, line)) + "\n");
  }
}

void run_file(const SessionOptions& options, const std::string& cases_name, const std::string& output_name) {
  const std::vector<Case> cases = read_cases(cases_name);
  const Output output(output_name);
  Session session(options);
  for (const Case& asked : cases) session.check(asked);
  json context = session.context();
  std::vector<json> finished;
  for (const std::string warning : session.context().at("warnings"))
    std::fprintf(stderr, "warning: %s\n", warning.c_str());
  for (std::size_t i = 0; i < cases.size() && interrupt_signal() == 0; ++i) {
    json benchmarks;
    try {
      benchmarks = session.run(cases[i]);
    } catch (const Interrupted&) {
      break;
    }
    tell(i + 1, cases.size(), benchmarks);
    for (json& one : benchmarks) finished.push_back(std::move(one));
  }
  if (interrupt_signal() != 0) context["interrupted"] = true;
  if (!finished.empty()) output.write(document(context, finished));
  check_interrupt();
}

}  // namespace pmtwin::probe
