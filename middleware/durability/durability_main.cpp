// pmtwin-middleware-durability: kills processes under load and during the creation of pools, and looks at what is left.
// One JSON document on standard output, progress on standard error.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "middleware/durability/kill_rounds.h"
#include "middleware/engines/pool_file.h"
#include "native/common/errors.h"
#include "native/common/program.h"
#include "native/common/scratch_folder.h"

namespace {

using pmtwin::InputError;
using namespace pmtwin::middleware;

unsigned long long number(const std::string& field, const std::string& text, unsigned long long most) {
  char* end = nullptr;
  const unsigned long long value = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || text[0] == '-' || *end != '\0' || value > most) {
    throw InputError(field, text, "0 to " + std::to_string(most));
  }
  return value;
}

constexpr const char* kOptions = "--path=FOLDER, --rounds=N, --seed=N, --help";

void run(int argc, char** argv) {
  std::string path = "/dev/shm";
  int rounds = 100;
  unsigned long long seed = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto equals = word.find('=');
    const std::string name = word.substr(0, equals), value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (name == "--path") {
      path = value;
    } else if (name == "--rounds") {
      rounds = static_cast<int>(number(name, value, 100'000));
    } else if (name == "--seed") {
      seed = number(name, value, ~0ull);
    } else {
      throw InputError("option", word, kOptions, "is unknown");
    }
  }
  const pmtwin::ScratchFolder scratch(path, pool_bytes_for(0, 0, 0));
  int done = 0;
  const Progress progress = [&] { std::fprintf(stderr, "round %d of %d\n", ++done, 2 * rounds); };
  const LoadKills load = kill_under_load(scratch.path(), rounds, seed, progress);
  const CreationKills creation = kill_during_creation(scratch.path(), rounds, seed, progress);
  const auto count = [](const char* name, std::uint64_t value) {
    std::printf("\"%s\": %llu, ", name, static_cast<unsigned long long>(value));
  };
  std::printf("{\"under_load\": {\"rounds\": %d, \"seconds\": %.3f, ", load.rounds, load.seconds);
  count("acknowledged_puts", load.puts);
  count("acknowledged_removals", load.removals);
  count("resizes", load.resizes);
  count("values_checked", load.checked);
  count("lost", load.lost);
  count("returned", load.returned);
  count("torn", load.torn);
  count("unacknowledged_present", load.unacknowledged);
  std::printf("\"resizes_per_s\": %.1f, \"slowest_reopening_ms\": %.3f},\n",
              load.seconds > 0 ? static_cast<double>(load.resizes) / load.seconds : 0.0, load.slowest_reopening_ms);
  std::printf(" \"during_creation\": {\"rounds\": %d, \"absent\": %d, \"whole\": %d, \"unusable\": %d, \"leftovers\": %d}}\n",
              creation.rounds, creation.absent, creation.whole, creation.unusable, creation.leftovers);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--help") {
    std::printf("usage: pmtwin-middleware-durability [OPTION]...\noptions: %s\n", kOptions);
    return 0;
  }
  return pmtwin::exit_code_of("pmtwin-middleware-durability", [&] {
    run(argc, argv);
    return 0;
  });
}
