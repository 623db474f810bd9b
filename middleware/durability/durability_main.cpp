// pmtwin-middleware-durability: kills processes under load and during the creation of pools, and looks at what is left.
// One JSON document on standard output, progress on standard error.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "middleware/durability/kill_rounds.h"
#include "native/common/errors.h"
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
      throw InputError("option", word, "--path=FOLDER, --rounds=N, --seed=N");
    }
  }
  const pmtwin::ScratchFolder scratch(path, 0);
  int done = 0;
  const Progress progress = [&] { std::fprintf(stderr, "round %d of %d\n", ++done, 2 * rounds); };
  const LoadKills load = kill_under_load(scratch.path(), rounds, seed, progress);
  const CreationKills creation = kill_during_creation(scratch.path(), rounds, seed, progress);
  std::printf("{\"under_load\": {\"rounds\": %d, \"acknowledged_puts\": %llu, \"resizes\": %llu, \"values_checked\": %llu, "
              "\"lost\": %llu, \"torn\": %llu, \"unacknowledged_present\": %llu, \"slowest_reopening_ms\": %.3f},\n",
              load.rounds, static_cast<unsigned long long>(load.acknowledged),
              static_cast<unsigned long long>(load.resizes), static_cast<unsigned long long>(load.checked),
              static_cast<unsigned long long>(load.lost), static_cast<unsigned long long>(load.torn),
              static_cast<unsigned long long>(load.unacknowledged), load.slowest_reopening_ms);
  std::printf(" \"during_creation\": {\"rounds\": %d, \"absent\": %d, \"whole\": %d, \"unusable\": %d, \"leftovers\": %d}}\n",
              creation.rounds, creation.absent, creation.whole, creation.unusable, creation.leftovers);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc, argv);
    return 0;
  } catch (const InputError& error) {
    std::fprintf(stderr, "pmtwin-middleware-durability: %s\n", error.what());
    return InputError::kExitCode;
  } catch (const pmtwin::UserError& error) {
    std::fprintf(stderr, "pmtwin-middleware-durability: %s\n", error.what());
    return InputError::kExitCode;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "pmtwin-middleware-durability: %s\n", error.what());
    return 1;
  }
}
