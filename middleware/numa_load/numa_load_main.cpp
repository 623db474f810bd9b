// pmtwin-numa-load: threads that get and put in a store of their own, each counted, and on some processors slowed down
// as if the data were far. A line of JSON when all have begun, and one for each line of standard input; ends with it.

#include <csignal>
#include <iostream>
#include <string>
#include <thread>

#include "middleware/engines/pool_size.h"
#include "middleware/engines/registry.h"
#include "middleware/load/closed_loop.h"
#include "middleware/numa_load/counted_threads.h"
#include "middleware/numa_load/keys.h"
#include "native/common/errors.h"
#include "native/common/files.h"
#include "native/common/placement.h"
#include "native/common/program.h"
#include "native/common/program_options.h"
#include "native/common/scratch_folder.h"

namespace {

using namespace pmtwin;
using namespace pmtwin::middleware;

// The thread and those that it starts run on the processors of an option.
void move_to(const ProgramOptions& options, const std::string& name) {
  const std::vector<int> cpus = parse_cpu_list(options.text(name));
  if (cpus.empty() || run_on(cpus)) return;
  throw InputError("--" + name, options.text(name), "processors that this process may use");
}

void print_counts(CountedThreads& counted, std::uint64_t failed) {
  std::string line = "{\"failed\": " + std::to_string(failed) + ", \"threads\": [";
  for (const CountedThreads::Thread& thread : counted.threads()) {
    line += (line.back() == '[' ? "[" : ", [") + std::to_string(thread.id) + ", " + std::to_string(thread.cpu_ns);
    for (const auto& at_distance : thread.done) {
      for (const std::uint64_t done : at_distance) line += ", " + std::to_string(done);
    }
    line += "]";
  }
  line += "], \"latency_ns\": [";
  for (const Histogram::Bin& bin : counted.take_latency_ns().bins()) {
    line += (line.back() == '[' ? "[" : ", [") + std::to_string(bin.lower) + ", " + std::to_string(bin.count) + "]";
  }
  std::cout << line << "]}" << std::endl;
}

int run(int argc, char** argv) {
  const ProgramOptions options(argc, argv,
                               {{"cpus", ""}, {"fill_cpus", ""}, {"far", ""}, {"get_factor", "1"}, {"put_factor", "1"},
                                {"threads", "1"}, {"records", "1000"}, {"value_bytes", "4096"}, {"read_share", "0"},
                                {"sequential", "0"}, {"own_keys", "0"}, {"seed", "0"}, {"store", "map"},
                                {"path", ""}});
  const auto records = static_cast<std::uint32_t>(options.number("records", 1, 1u << 30));
  const std::uint64_t value_bytes = options.number("value_bytes", 1, 1u << 30);
  const int threads = static_cast<int>(options.number("threads", 1, 1024));
  move_to(options, "fill_cpus");
  const FarAccess far(parse_cpu_list(options.text("far")),
                      {options.real("get_factor", 1.0, 1e3), options.real("put_factor", 1.0, 1e3)}, thread_cpu_ns);
  const Records data(Mode::kInteractive, records, value_bytes);
  const Stream stream = draw_keys({.records = records,
                                   .threads = static_cast<std::uint32_t>(threads),
                                   .reads = options.real("read_share", 0.0, 1.0),
                                   .sequential = options.number("sequential", 0, 1) != 0,
                                   .own_keys = options.number("own_keys", 0, 1) != 0,
                                   .seed = options.number("seed", 0, ~0ull)});
  std::optional<ScratchFolder> folder;
  GivenOptions given;
  if (!options.text("path").empty()) {
    const std::uint64_t pool_bytes = pool_bytes_for(records, data.key(0).size(), value_bytes);
    folder.emplace(options.text("path"), pool_bytes);
    given = {{"path", folder->path() + "/pool"}, {"pool_bytes", pool_bytes}};
  }
  const std::shared_ptr<Engine> engine = make_engine(options.text("store"), given);
  data.fill(*engine);
  move_to(options, "cpus");
  CountedThreads counted(*engine, far);
  ClosedLoop loop({ClassLoad{threads, &stream, &data}, ClassLoad{}},
                  [&counted](Request& request) { counted.ask(request); });
  while (counted.threads().size() < static_cast<std::size_t>(threads)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  print_counts(counted, loop.failed());
  for (std::string line; std::getline(std::cin, line);) print_counts(counted, loop.failed());
  loop.stop();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  return exit_code_of("pmtwin-numa-load", [&] { return run(argc, argv); });
}
