#include "native_probe/options.h"

#include <charconv>

#include "native/common/errors.h"

namespace pmtwin::probe {

const char* const kUsage =
    R"(usage: pmtwin-probe (--path DIR | --node N) (--serve | --cases FILE [-o FILE]) [options]

Measures bandwidth and latency of the memory below a directory, in a file of its own without a name, or of a NUMA node.

  --node N              the memory of a NUMA node in place of a directory, such as a CXL expander without a file system
  --path DIR            a directory on the memory, such as /mnt/pmem0 or /dev/shm
  --serve               a context line on standard output, then a line for each case that comes on standard input
  --cases FILE          a JSON list of cases (- for standard input)
  -o, --output FILE     where --cases writes Google Benchmark's JSON (default: standard output)
  --region-bytes N      memory to measure on (default: a multiple of the last-level cache, at least 1 GiB, at most
                        half of what is free)
  --cache-multiple N    that multiple, from 1 to 64 (default: 16; less is set up sooner, and more of it may be cached)
  --memory-node N       NUMA node to take the memory from, where the kernel has the choice
  --isa NAME[+NAME]     narrower instructions: sse2, avx2, avx512; clflush, clflushopt, clwb (default: the best here)
  --version, --help

exit codes: 0 ok, 1 the result could not be written, 2 bad input, 130 and 143 after SIGINT and SIGTERM
)";

namespace {

const std::string kRemove = "; remove one of the two";
constexpr std::uint64_t kMostNode = 1023;  // of any kernel: CONFIG_NODES_SHIFT is at most 10
constexpr std::uint64_t kMostMultiple = 64;
const std::string kMultipleAllowed = "a whole number from 1 to " + std::to_string(kMostMultiple);
const std::string kNodeAllowed = "a whole number from 0 to " + std::to_string(kMostNode);

std::uint64_t whole_number(const std::string& option, const std::string& text, std::uint64_t most,
                           const std::string& allowed) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty() || value > most) {
    throw InputError(option, text, allowed);
  }
  return value;
}

}  // namespace

Options parse_options(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string word = words[i];
    std::string value;
    const auto equals = word.find('=');
    const bool joined = word.starts_with("--") && equals != std::string::npos;
    if (joined) {
      value = word.substr(equals + 1);
      word.resize(equals);
    }
    const auto take = [&]() -> std::string {
      if (joined) return value;
      if (i + 1 == words.size()) throw InputError::missing("the value of " + word, word + " VALUE");
      return words[++i];
    };
    if (word == "--help" || word == "-h") {
      options.help = true;
    } else if (word == "--version") {
      options.version = true;
    } else if (word == "--serve") {
      options.serve = true;
    } else if (word == "--path") {
      options.session.path = take();
    } else if (word == "--cases") {
      options.cases = take();
    } else if (word == "-o" || word == "--output") {
      options.output = take();
    } else if (word == "--region-bytes") {
      options.session.region_bytes = whole_number(word, take(), std::uint64_t{1} << 62, kRegionAllowed);
    } else if (word == "--cache-multiple") {
      options.session.cache_multiple = whole_number(word, take(), kMostMultiple, kMultipleAllowed);
      if (options.session.cache_multiple == 0) throw InputError(word, "0", kMultipleAllowed);
    } else if (word == "--node") {
      options.session.node = static_cast<int>(whole_number(word, take(), kMostNode, kNodeAllowed));
    } else if (word == "--memory-node") {
      options.session.memory_node = static_cast<int>(whole_number(word, take(), kMostNode, kNodeAllowed));
    } else if (word == "--isa") {
      options.session.isa = parse_isa(take());
    } else {
      throw InputError("option", words[i],
                       "--path, --node, --serve, --cases, --output, --region-bytes, --cache-multiple, --memory-node, "
                       "--isa, --version, --help",
                       "is unknown");
    }
  }
  if (options.help || options.version) return options;
  if (options.session.node && !options.session.path.empty()) {
    throw InputError::conflict("--node", std::to_string(*options.session.node), "does not go with --path" + kRemove);
  }
  if (options.session.node && options.session.memory_node) {
    throw InputError::conflict("--memory-node", std::to_string(*options.session.memory_node),
                               "does not go with --node" + kRemove);
  }
  if (options.session.path.empty() && !options.session.node) {
    throw InputError::missing("--path", "a directory on the memory to measure, or --node N");
  }
  if (options.serve && !options.cases.empty()) {
    throw InputError::conflict("--cases", options.cases, "does not go with --serve" + kRemove);
  }
  if (!options.serve && options.cases.empty()) throw InputError::missing("--cases", "a file of cases, or --serve");
  return options;
}

}  // namespace pmtwin::probe
