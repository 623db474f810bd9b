// pmtwin-middleware-bench: what the middleware costs, beside the engine without it. One JSON document on standard
// output, progress on standard error.

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "middleware/bench/cases.h"
#include "middleware/bench/ycsb.h"
#include "native/common/errors.h"
#include "native/common/program.h"

namespace {

using pmtwin::InputError;
using namespace pmtwin::middleware;

struct Settings {
  std::string path = "/dev/shm";
  std::string group;  // one group only
  std::string ycsb;   // instead: these of its mixes
  double seconds = 0.3;
  int repeats = 5;
};

constexpr const char* kOptions = "--path=FOLDER, --group=NAME, --ycsb=MIXES, --seconds=S, --repeats=N, --help";

double number(const std::string& field, const std::string& text, double least, double most) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0' || !(value >= least && value <= most)) {
    std::ostringstream allowed;
    allowed << least << " to " << most;
    throw InputError(field, text, allowed.str());
  }
  return value;
}

Settings parse(const std::vector<std::string>& words) {
  Settings settings;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (name == "--path") {
      settings.path = value;
    } else if (name == "--group") {
      settings.group = value;
    } else if (name == "--ycsb") {
      settings.ycsb = value;
    } else if (name == "--seconds") {
      settings.seconds = number(name, value, 0.001, 600);
    } else if (name == "--repeats") {
      settings.repeats = static_cast<int>(number(name, value, 1, 1000));
    } else {
      throw InputError("option", word, kOptions, "is unknown");
    }
  }
  return settings;
}

void print(const Case& one, const std::vector<Sample>& samples, bool last) {
  std::printf("  {\"group\": \"%s\", \"engine\": \"%s\", \"access\": \"%s\", \"workers\": %d, \"clients\": %d, \"samples\": [",
              one.group.c_str(), one.engine.c_str(), one.access.c_str(), one.workers, one.clients);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Sample& sample = samples[i];
    std::printf("%s\n   {\"requests\": %llu, \"batch\": %llu, \"wall_s\": %.6f, \"cpu_s\": %.6f, \"p50_us\": %.3f, "
                "\"p99_us\": %.3f, \"mean_us\": %.3f}",
                i == 0 ? "" : ",", static_cast<unsigned long long>(sample.requests),
                static_cast<unsigned long long>(sample.batch), sample.wall_s, sample.cpu_s, sample.p50_us, sample.p99_us,
                sample.mean_us);
  }
  std::printf("]}%s\n", last ? "" : ",");
}

// `bench`: a Bench or a YcsbBench.
template <class Bench>
void run(const Settings& settings, Bench& bench, const std::vector<Case>& cases) {
  std::vector<std::vector<Sample>> samples(cases.size());
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {  // in turn: what slows the machine slows all of them
    for (std::size_t turn = 0; turn < cases.size(); ++turn) {  // there and back: nothing is always after the same case
      const std::size_t i = repeat % 2 == 0 ? turn : cases.size() - 1 - turn;
      samples[i].push_back(bench.run(cases[i], settings.seconds));
      std::fprintf(stderr, "sample %zu of %zu\n", static_cast<std::size_t>(repeat) * cases.size() + turn + 1,
                   cases.size() * static_cast<std::size_t>(settings.repeats));
    }
  }
  std::printf("{\"cases\": [\n");
  for (std::size_t i = 0; i < cases.size(); ++i) print(cases[i], samples[i], i + 1 == cases.size());
  std::printf("]}\n");
}

void run(const Settings& settings) {
  if (!settings.ycsb.empty()) {
    if (!settings.group.empty()) {
      throw InputError::conflict("--group", settings.group, "does not go with --ycsb; remove one of the two");
    }
    YcsbBench bench(settings.ycsb, settings.path);
    return run(settings, bench, bench.cases());
  }
  Bench bench(settings.path);
  std::vector<Case> cases;
  for (const Case& one : all_cases(bench.engines())) {
    if (settings.group.empty() || settings.group == one.group) cases.push_back(one);
  }
  if (cases.empty()) throw InputError("--group", settings.group, "hand-off, round trip, workers");
  run(settings, bench, cases);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--help") {
    std::printf("usage: pmtwin-middleware-bench [OPTION]...\noptions: %s\n", kOptions);
    return 0;
  }
  return pmtwin::exit_code_of("pmtwin-middleware-bench", [&] {
    run(parse(std::vector<std::string>(argv + 1, argv + argc)));
    return 0;
  });
}
