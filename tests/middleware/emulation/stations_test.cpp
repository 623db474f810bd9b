// The stations by hand, and held against a second, slow calculation of processor sharing.
#include "middleware/emulation/stations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "native/common/errors.h"
#include "tests/middleware/emulation/tables.h"

namespace pmtwin::emulation {
namespace {

Started request(const ServiceTable& table, double at, std::uint32_t ticket, double device = 100) {
  return {0, at, false, &table.kinds[0].demand[0], {1, 1, 0, device}, ticket};
}

std::vector<double> run(Stations& stations, std::size_t count) {
  std::vector<double> ends(count);
  while (stations.next_event() < kNever) {
    if (const auto done = stations.step()) ends.at(done->ticket) = done->at;
  }
  return ends;
}

TEST(Stations, OneRequestTakesItsSoftwareAndItsDeviceTime) {
  const ServiceTable table = simple_table();
  Stations stations(table, {4, 4});
  stations.busy(0, 0);
  stations.start(request(table, 5, 0));
  EXPECT_THAT(run(stations, 1), testing::ElementsAre(115));
}

TEST(Stations, TwoOperationsShareTheDevice) {
  const ServiceTable table = simple_table();
  Stations stations(table, {4, 4});
  stations.busy(0, 0), stations.busy(0, 0);
  stations.start(request(table, 0, 0));
  EXPECT_EQ(stations.step(), std::nullopt);  // from the processors to the device
  stations.start(request(table, 50, 1));
  // the first is alone from 10 to 60, then both are at half speed: its other 50 ns take 100; the second has 50 left
  EXPECT_THAT(run(stations, 2), testing::ElementsAre(160, 210));
}

TEST(Stations, NoMoreOperationsInTheDeviceThanHardwareThreads) {
  const ServiceTable table = simple_table({.workers = 4, .hardware_threads = 1});
  Stations stations(table, {4, 4});
  for (std::uint32_t i = 0; i < 3; ++i) stations.busy(0, 0), stations.start(request(table, 0, i));
  EXPECT_THAT(run(stations, 3), testing::ElementsAre(110, 210, 310));
}

// What processor sharing means: every instant is divided among those in the device. Found by going from event to event
// with the work that each has left, where the stations have one virtual clock.
std::vector<double> shared_ends(const std::vector<std::pair<double, double>>& arrivals) {
  std::vector<double> left, ends(arrivals.size(), -1);
  for (const auto& [at, work] : arrivals) left.push_back(work);
  double now = 0;
  for (;;) {
    int present = 0;
    double shortest = kNever, arrival = kNever;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (ends[i] >= 0) continue;
      if (arrivals[i].first > now) {
        arrival = std::min(arrival, arrivals[i].first);
      } else {
        ++present;
        shortest = std::min(shortest, left[i]);
      }
    }
    if (present == 0 && arrival == kNever) return ends;
    const double next = std::min(arrival, present > 0 ? now + shortest * present : kNever);
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (ends[i] >= 0 || arrivals[i].first > now) continue;
      left[i] -= (next - now) / present;
      if (left[i] < 1e-9) ends[i] = next;
    }
    now = next;
  }
}

TEST(Stations, AgreesWithASlowCalculationOfProcessorSharing) {
  const ServiceTable table = simple_table({.software = 0, .workers = 24, .hardware_threads = 24});
  std::mt19937_64 random(7);
  std::exponential_distribution<double> gap(1 / 30.0), work(1 / 100.0);
  Stations stations(table, {24, 24});
  std::vector<std::pair<double, double>> arrivals;
  double at = 0;
  for (std::uint32_t i = 0; i < 24; ++i) arrivals.emplace_back(at += gap(random), work(random));
  std::vector<double> ends(arrivals.size());
  for (std::uint32_t i = 0; i < arrivals.size(); ++i) {
    while (stations.next_event() <= arrivals[i].first)
      if (const auto done = stations.step()) ends[done->ticket] = done->at;
    stations.busy(0, arrivals[i].first);
    stations.start(request(table, arrivals[i].first, i, arrivals[i].second));
  }
  while (stations.next_event() < kNever)
    if (const auto done = stations.step()) ends[done->ticket] = done->at;
  const auto expected = shared_ends(arrivals);
  for (std::size_t i = 0; i < ends.size(); ++i) EXPECT_NEAR(ends[i], expected[i], 1e-6) << "request " << i;
}

TEST(Stations, AStartThatIsToldLateEndsAsIfItHadBeenToldInTime) {
  const ServiceTable table = simple_table({.software = 40});
  const auto ends = [&](bool late) {
    Stations stations(table, {4, 4});
    std::vector<double> found(3);
    const auto until = [&](double at) {
      while (stations.next_event() <= at)
        if (const auto done = stations.step()) found[done->ticket] = done->at;
    };
    for (int i = 0; i < 3; ++i) stations.busy(0, 0);
    stations.start(request(table, 0, 0));
    if (!late) stations.start(request(table, 30, 1));
    until(60);  // the first has left the processors at 40
    stations.start(request(table, 65, 2));
    if (late) stations.start(request(table, 30, 1));
    EXPECT_EQ(stations.late().count, 0u);
    until(1e9);
    return found;
  };
  EXPECT_EQ(ends(true), ends(false));
}

TEST(Stations, CountsStartsThatComeAfterTheirWorkOnTheProcessorsHasEnded) {
  const ServiceTable table = simple_table({.software = 40});
  Stations stations(table, {4, 4});
  stations.busy(0, 0), stations.busy(0, 0);
  stations.start(request(table, 100, 0));
  stations.start(request(table, 30, 1));  // would have left the processors at 70
  EXPECT_EQ(stations.late().count, 1u);
  EXPECT_DOUBLE_EQ(stations.late().most, 30);
  EXPECT_THAT(run(stations, 2), testing::ElementsAre(300, 260));
}

TEST(Stations, PopulationsBeyondTheTableAreAnError) {
  const ServiceTable table = simple_table({.workers = 1, .hardware_threads = 4});
  EXPECT_NO_THROW(table.speeds.of({1, 0, 1, 0}));
  EXPECT_THROW(table.speeds.of({2, 0, 0, 0}), std::out_of_range);
  EXPECT_THROW(table.speeds.of({0, 1, 0, 0}), std::out_of_range);
}

TEST(ServiceTable, NamesTheFieldThatIsWrong) {
  const auto message = [](auto change) -> std::string {
    nlohmann::json text = simple_table_text({});
    change(text);
    try {
      parse_service_table(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message([](auto& t) { t["host"].erase("rate"); }), testing::HasSubstr("rate"));
  EXPECT_THAT(message([](auto& t) { t["host"]["rate"][1] = -1.0; }), testing::HasSubstr("rate: '-1"));
  EXPECT_THAT(message([](auto& t) { t["host"]["handoff_ns"] = {1.0}; }), testing::HasSubstr("handoff_ns"));
  EXPECT_THAT(message([](auto& t) { t["version"] = 99; }), testing::HasSubstr("version"));
  EXPECT_THAT(message([](auto& t) { t["speeds"]["rows"].erase(3); }), testing::HasSubstr("rows"));
  EXPECT_THAT(message([](auto& t) { t["speeds"]["rows"][3][0] = 0.0; }), testing::HasSubstr("speeds"));
  EXPECT_THAT(message([](auto& t) { t["kinds"][0]["demand"].push_back(t["kinds"][0]["demand"][0]); }),
              testing::HasSubstr("wear_probability"));
  EXPECT_EQ(message([](auto&) {}), "");
}

}  // namespace
}  // namespace pmtwin::emulation
