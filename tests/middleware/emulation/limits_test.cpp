#include "middleware/emulation/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "native/common/errors.h"
#include "tests/middleware/emulation/tables.h"

namespace pmtwin::emulation {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

MachineReport good() {
  MachineReport report;
  report.dilation = 100;
  report.real_s = 1;
  report.requests = 1000;
  report.service_ns = 10'000;
  report.events = 3000;
  report.cpu_share = 0.2;
  return report;
}

TEST(Limits, DilationsTooSmallForTheDeviceNameTheLeast) {
  const ServiceTable table = simple_table({.software = 100, .device = 900});  // 1 us
  EXPECT_DOUBLE_EQ(mean_idle_service_ns(table), 1000);
  EXPECT_NO_THROW(check_dilation(table, 200));
  try {
    check_dilation(table, 199);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("199"), HasSubstr("200 for rates"), HasSubstr("500 for percentiles")));
  }
}

TEST(Limits, AGoodWindowIsBelieved) { EXPECT_THAT(refusals(good(), true), IsEmpty()); }

TEST(Limits, RequestsTooShortForPercentilesMayDoForRates) {
  MachineReport report = good();
  report.service_ns = 3'000;
  EXPECT_THAT(refusals(report, true), ElementsAre(AllOf(HasSubstr("300"), HasSubstr("at least 500"))));
  EXPECT_THAT(refusals(report, false), IsEmpty());
  report.service_ns = 1'000;
  EXPECT_THAT(refusals(report, false), ElementsAre(AllOf(HasSubstr("100"), HasSubstr("at least 200"))));
}

TEST(Limits, EachRefusalNamesItsValueAndWhatIsAllowed) {
  const auto only = [](auto change) {
    MachineReport report = good();
    change(report);
    const auto found = refusals(report, true);
    return found.size() == 1 ? found[0] : std::to_string(found.size()) + " refusals";
  };
  EXPECT_THAT(only([](auto& r) { r.events = 41'000; }), AllOf(HasSubstr("4.1e+04"), HasSubstr("at most 4e+04")));
  EXPECT_THAT(only([](auto& r) { r.cpu_share = 0.7; }), AllOf(HasSubstr("0.7"), HasSubstr("at most 0.6")));
  EXPECT_THAT(only([](auto& r) { r.gave_up = 1; }), HasSubstr("worker's thread did not act in time: 1"));
  EXPECT_THAT(only([](auto& r) { r.unheard = 2; }), HasSubstr("client's thread did not act in time: 2"));
  EXPECT_THAT(only([](auto& r) { r.late = 3; }), HasSubstr("3; allowed: at most 0"));
  EXPECT_THAT(only([](auto& r) { r.overruns = 2; }), HasSubstr("2; allowed: at most 1"));
}

}  // namespace
}  // namespace pmtwin::emulation
