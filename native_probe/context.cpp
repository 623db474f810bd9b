#include "native_probe/context.h"

#include <benchmark/benchmark.h>
#include <cpuid.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <sstream>

#include "native/common/files.h"

namespace pmtwin::probe {
namespace {

using nlohmann::json;

json text_or_null(const std::string& path) {
  const auto text = read_text(path);
  return text ? json(*text) : json(nullptr);
}

// `always [madvise] never` -> madvise
json chosen(const std::string& path) {
  const std::string text = read_text(path).value_or("");
  const auto begin = text.find('['), end = text.find(']');
  if (begin == std::string::npos || end == std::string::npos) return text.empty() ? json(nullptr) : json(text);
  return text.substr(begin + 1, end - begin - 1);
}

std::string field_of_cpuinfo(const std::string& name) {
  std::istringstream lines(read_text("/proc/cpuinfo").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(name) && line.find(": ") != std::string::npos) return line.substr(line.find(": ") + 2);
  }
  return "";
}

bool virtualised() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & (1u << 31)) != 0;
}

// Intel's four prefetchers that are on (MSR 0x1A4, a set bit is off); null where that cannot be read.
json prefetchers() {
  if (field_of_cpuinfo("vendor_id") != "GenuineIntel") return nullptr;
  const int fd = open("/dev/cpu/0/msr", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return nullptr;
  std::uint64_t off = 0;
  const bool known = pread(fd, &off, sizeof off, 0x1a4) == static_cast<ssize_t>(sizeof off);
  close(fd);
  if (!known) return nullptr;
  return {{"l2_stream", (off & 1) == 0},
          {"l2_adjacent", (off & 2) == 0},
          {"l1_next", (off & 4) == 0},
          {"l1_ip", (off & 8) == 0}};
}

std::string now() {
  const std::time_t time = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&time, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S+00:00", &utc);
  return text;
}

json google_benchmark_context() {
  const benchmark::CPUInfo& cpu = benchmark::CPUInfo::Get();
  json caches = json::array();
  for (const auto& cache : cpu.caches) {
    caches.push_back(
        {{"type", cache.type}, {"level", cache.level}, {"size", cache.size}, {"num_sharing", cache.num_sharing}});
  }
  json context = {{"date", now()},
                  {"host_name", benchmark::SystemInfo::Get().name},
                  {"executable", "pmtwin-probe"},
                  {"num_cpus", cpu.num_cpus},
                  {"mhz_per_cpu", static_cast<int>(cpu.cycles_per_second / 1e6 + 0.5)},
                  {"caches", caches},
                  {"load_avg", cpu.load_avg},
                  {"library_version", PMTWIN_BENCHMARK_VERSION},
                  {"json_schema_version", kSchemaVersion}};
  if (cpu.scaling != benchmark::CPUInfo::UNKNOWN) {
    context["cpu_scaling_enabled"] = cpu.scaling == benchmark::CPUInfo::ENABLED;
  }
  return context;
}

// null where the kernel does not say
json threads_share_cores() {
  const auto active = read_text("/sys/devices/system/cpu/smt/active");
  return active ? json(*active == "1") : json(nullptr);
}

json libraries() {
  return {{"google_benchmark", PMTWIN_BENCHMARK_VERSION},
          {"glibc", gnu_get_libc_version()},
          {"nlohmann_json", std::to_string(NLOHMANN_JSON_VERSION_MAJOR) + "." +
                                std::to_string(NLOHMANN_JSON_VERSION_MINOR) + "." +
                                std::to_string(NLOHMANN_JSON_VERSION_PATCH)}};
}

// null where the kernel does not say: it does not count the huge mappings of a file with direct access.
json page_bytes(const Region& region) {
  if (region.huge_pages()) return 2 << 20;
  return region.direct_access() ? json(nullptr) : json(4 << 10);
}

json machine() {
  utsname kernel{};
  uname(&kernel);
  const std::string cpu0 = "/sys/devices/system/cpu/cpu0/cpufreq/";
  return {{"cpu_model", field_of_cpuinfo("model name")},
          {"kernel", kernel.release},
          {"virtualised", virtualised()},
          {"machine_model", text_or_null("/sys/class/dmi/id/product_name")},
          {"frequency_governor", text_or_null(cpu0 + "scaling_governor")},
          {"frequency_driver", text_or_null(cpu0 + "scaling_driver")},
          {"smt", threads_share_cores()},
          {"transparent_huge_pages", chosen("/sys/kernel/mm/transparent_hugepage/enabled")},
          {"transparent_huge_pages_shmem", chosen("/sys/kernel/mm/transparent_hugepage/shmem_enabled")},
          {"prefetchers", prefetchers()},
          {"compiler", "gcc-compatible " __VERSION__},
          {"libraries", libraries()}};
}

json timing(const Clock& clock) {
  return {{"tick_ns", clock.tick_ns},
          {"invariant_tsc", clock.steady},
          {"overhead_ns", clock.ns(static_cast<double>(clock.overhead_ticks))},
          {"fenced_overhead_ns", clock.ns(static_cast<double>(clock.fenced_overhead_ticks))},
          {"overhead_subtracted", true},
          {"offset_cost_ns", clock.offset_cost_ns}};
}

}  // namespace

std::uint64_t last_level_cache_bytes() {
  std::uint64_t largest = 0;
  for (const auto& cache : benchmark::CPUInfo::Get().caches) {
    largest = std::max(largest, static_cast<std::uint64_t>(std::max(cache.size, 0)));
  }
  return largest > 0 ? largest : 32u << 20;
}

json context_of(const Folder& folder, const Region& region, const Device& device, const Placement& placement,
                const Clock& clock, const Noise& noise, const Isa& isa) {
  json context = google_benchmark_context();
  context.update(machine());
  context["media"] = device.media;
  if (device.dimms) context["dimms"] = *device.dimms;
  context["isa"] = name_of(isa);
  context["timing"] = timing(clock);
  const auto memory_node = region.node();
  context["memory"] = {{"file_system", folder.file_system()},
                       {"direct_access", region.direct_access()},
                       {"map_sync", region.synchronous()},
                       {"region_bytes", region.bytes()},
                       {"page_bytes", page_bytes(region)},
                       {"numa_node", memory_node ? json(*memory_node) : json(nullptr)}};
  context["numa_nodes"] = placement.node_count();
  context["local_threads"] = placement.cpus("local").size();
  context["remote_threads"] = placement.remote_threads();
  const int cpus = benchmark::CPUInfo::Get().num_cpus;
  json warnings = noise.advice(cpus);
  if (!clock.steady) warnings.push_back("the time-stamp counter does not tick at one rate: times may be off");
  if (!device.warning.empty()) warnings.push_back(device.warning);
  if (region.bytes() < 4 * last_level_cache_bytes()) {
    warnings.push_back(
        "the region is smaller than four times the last-level cache: random accesses will find part of it "
        "in the cache (--region-bytes)");
  }
  context["noise"] = {{"noisy", noise.noisy()},
                      {"spin_cv_percent", noise.spin_cv_percent},
                      {"spin_worst_percent", noise.spin_worst_percent},
                      {"steal_percent", noise.steal_percent},
                      {"others_cpus", noise.others_cpus}};
  context["warnings"] = warnings;
  return context;
}

}  // namespace pmtwin::probe
