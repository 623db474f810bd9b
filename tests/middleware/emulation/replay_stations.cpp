// Sends recorded requests through the stations and prints when each ended: for tests that compare with the twin.
//   pmtwin-replay-stations TABLE TRACE
// TRACE is JSON: `pools` [interactive, batch], `keys` [2], `starts` [[at, submitted, class, index], ...] in order of time,
// `resizes` [[how many starts come before it, at, interactive, batch], ...]. Prints a JSON list with the end of each start, ns.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "middleware/emulation/stations.h"

using namespace pmtwin::emulation;

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: pmtwin-replay-stations TABLE TRACE\n");
    return 2;
  }
  const ServiceTable table = load_service_table(argv[1]);
  const auto trace = nlohmann::json::parse(std::ifstream(argv[2]));
  const auto keys = trace.at("keys").get<std::array<std::uint64_t, kClasses>>();
  const auto& starts = trace.at("starts");
  std::vector<double> ends(starts.size());
  Stations stations(table, trace.at("pools").get<std::array<int, kClasses>>());
  std::array<int, kClasses> undecided{};  // workers at the end of a request, of whom nobody knows yet what they do next
  std::size_t next_resize = 0;

  const auto rest = [&] {
    for (int c = 0; c < kClasses; ++c)
      for (; undecided[c] > 0; --undecided[c]) stations.idle(c, stations.now());
  };
  const auto run_until = [&](double at) {
    while (true) {
      if (std::min(stations.next_event(), at) > stations.now()) rest();  // may bring the next event nearer
      if (stations.next_event() > at) return;
      if (const auto done = stations.step()) ends[done->ticket] = done->at, ++undecided[done->class_index];
    }
  };
  for (std::size_t i = 0; i <= starts.size(); ++i) {
    const double at = i < starts.size() ? starts[i][0].get<double>() : 1e300;
    for (const auto& resizes = trace.at("resizes"); next_resize < resizes.size(); ++next_resize) {
      const auto& resize = resizes[next_resize];
      if (resize[0].get<std::size_t>() > i) break;
      run_until(resize[1]);
      rest();  // what a worker starts after its request it starts before a resize
      stations.resize({resize[2].get<int>(), resize[3].get<int>()}, resize[1]);
    }
    run_until(at);
    if (i == starts.size()) break;
    const int c = starts[i][2];
    const std::uint64_t index = starts[i][3];
    const Asked request = asked(table, c, keys[c], index);
    const int kind = 2 * c + request.is_write;
    if (undecided[c] > 0) {
      --undecided[c];
    } else {
      stations.busy(c, at);
    }
    stations.start({kind, at, starts[i][1].get<double>() == at, request.demand,
                    draw(table, kind, *request.demand, keys[c], index), static_cast<std::uint32_t>(i)});
  }
  std::cout << nlohmann::json(ends).dump() << '\n';
}
