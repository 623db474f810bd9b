#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <mutex>

#include "middleware/core/execute.h"
#include "middleware/core/middleware.h"
#include "middleware/engines/map_engine.h"
#include "middleware/load/closed_loop.h"
#include "middleware/load/stream.h"
#include "middleware/load/zipfian.h"
#include "native/common/errors.h"

namespace pmtwin::middleware {
namespace {

TEST(Zipfian, RanksAreAsOftenAsTheirPower) {
  constexpr std::uint64_t kItems = 1000;
  constexpr int kDraws = 1'000'000;
  const Zipfian zipfian(kItems);
  double zeta = 0;
  for (std::uint64_t i = 1; i <= kItems; ++i) zeta += std::pow(static_cast<double>(i), -Zipfian::kTheta);
  std::vector<int> counts(kItems);
  for (int i = 0; i < kDraws; ++i) ++counts.at(zipfian.rank((i + 0.5) / kDraws));
  EXPECT_NEAR(counts[0], kDraws / zeta, 0.01 * kDraws / zeta);
  EXPECT_NEAR(counts[1], kDraws / zeta * std::pow(0.5, Zipfian::kTheta), 0.01 * kDraws / zeta);
  int first_hundred = 0;
  double expected = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    first_hundred += counts[i];
    expected += std::pow(static_cast<double>(i + 1), -Zipfian::kTheta) / zeta;
  }
  EXPECT_NEAR(first_hundred, expected * kDraws, 0.03 * kDraws);  // the method's own approximation beyond rank 1
}

TEST(Stream, HasTheSharesOfItsMixAndIsTheSameForTheSameSeed) {
  const Stream stream = draw_stream(ycsb_mix('b'), 100, 100'000, 7);
  const Stream again = draw_stream(ycsb_mix('b'), 100, 100'000, 7);
  const Stream other = draw_stream(ycsb_mix('f'), 100, 100'000, 8);
  int updates = 0, read_modify_writes = 0;
  for (std::uint64_t i = 0; i < stream.size(); ++i) {
    updates += stream.at(i).kind == Asked::kUpdate;
    read_modify_writes += other.at(i).kind == Asked::kReadModifyWrite;
    ASSERT_EQ(stream.at(i).record, again.at(i).record);
    ASSERT_LT(stream.at(i).record, 100u);
  }
  EXPECT_NEAR(updates, 5'000, 350);
  EXPECT_NEAR(read_modify_writes, 50'000, 800);
  try {
    ycsb_mix('e');
    FAIL() << "another letter was taken";
  } catch (const InputError& error) {  // callers have no option of that name: only the benchmark has
    EXPECT_STREQ(error.what(), "YCSB mix: 'e' is not accepted; allowed: a, b, c, d, f");
  }
  EXPECT_THROW(draw_stream({}, 2, 1, 1), InputError);
  EXPECT_THROW(draw_stream({}, 10, 0, 1), InputError);
}

TEST(Stream, InsertsAreNewRecordsAndReadsAskForTheLatest) {
  const Stream stream = draw_stream(ycsb_mix('d'), 1000, 50'000, 7);
  std::uint32_t next = 1000;
  int reads = 0, of_the_last_hundred = 0;
  for (std::uint64_t i = 0; i < stream.size(); ++i) {
    const Asked& asked = stream.at(i);
    if (asked.kind == Asked::kUpdate) {
      ASSERT_EQ(asked.record, next++);
    } else {
      ASSERT_EQ(asked.kind, Asked::kRead);
      ASSERT_LT(asked.record, next);
      ++reads;
      of_the_last_hundred += asked.record + 100 >= next;
    }
  }
  EXPECT_EQ(stream.records(), next);
  EXPECT_NEAR(next - 1000, 2'500, 250);
  EXPECT_GT(of_the_last_hundred, reads / 2);
}

TEST(Records, ThoseThatAreNotWantedAreTakenOutAgain) {
  const Records records(Mode::kInteractive, 5, 20);
  MapEngine engine;
  records.fill(engine);
  records.fill(engine, 3);
  for (std::uint32_t record = 0; record < 5; ++record) {
    const Status found = engine.remove(records.key(record));
    EXPECT_EQ(found, record < 3 ? Status::kOk : Status::kNotFound) << record;
  }
}

TEST(ClosedLoop, ClientsAskForTheStreamThatTheyWereGiven) {
  const Records records(Mode::kBatch, 10, 20);
  const Stream stream({{Asked::kRead, 3}, {Asked::kUpdate, 4}, {Asked::kReadModifyWrite, 5}});
  std::mutex mutex;
  std::map<std::string, std::map<Operation, int>> asked;
  MapEngine engine;
  records.fill(engine);
  ClosedLoop clients({ClassLoad{}, ClassLoad{1, &stream, &records}}, [&](Request& request) {
    execute(engine, request);
    EXPECT_EQ(request.status, Status::kOk);
    EXPECT_EQ(request.value_bytes(), 20u);
    EXPECT_EQ(request.mode, Mode::kBatch);
    const std::lock_guard lock(mutex);
    ++asked[std::string(request.key)][request.operation];
  });
  while (clients.answered() < 400) std::this_thread::yield();
  clients.stop();
  EXPECT_EQ(asked.size(), 3u);
  const auto& read = asked[std::string(records.key(3))];
  const auto& updated = asked[std::string(records.key(4))];
  const auto& both = asked[std::string(records.key(5))];
  EXPECT_EQ(read.count(Operation::kPut), 0u);
  EXPECT_EQ(updated.count(Operation::kGet), 0u);
  EXPECT_EQ(both.at(Operation::kGet), both.at(Operation::kPut));
  EXPECT_GE(read.at(Operation::kGet), 100);
  EXPECT_EQ(clients.latency_ns(Mode::kBatch).count(), clients.answered());
  EXPECT_EQ(clients.failed(), 0u);
}

TEST(ClosedLoop, ClientsOfBothClassesAskForAsMuchOfEach) {
  const Records interactive(Mode::kInteractive, 10, 20), batch(Mode::kBatch, 10, 2000);
  const Stream stream({{Asked::kRead, 3}, {Asked::kUpdate, 4}});
  MapEngine engine;
  interactive.fill(engine);
  batch.fill(engine);
  constexpr int kClients = 4;
  ClosedLoop clients({ClassLoad{0, &stream, &interactive}, ClassLoad{0, &stream, &batch}}, [&](Request& request) {
    execute(engine, request);
    EXPECT_EQ(request.value_bytes(), request.mode == Mode::kBatch ? 2000u : 20u);
  }, kClients);
  while (clients.answered() < 400) std::this_thread::yield();
  clients.stop();
  EXPECT_EQ(clients.answered(), clients.answered(Mode::kInteractive) + clients.answered(Mode::kBatch));
  EXPECT_GE(clients.answered(Mode::kInteractive), clients.answered(Mode::kBatch));
  EXPECT_LE(clients.answered(Mode::kInteractive), clients.answered(Mode::kBatch) + kClients);
  EXPECT_EQ(clients.latency_ns(Mode::kBatch).count(), clients.answered(Mode::kBatch));
  EXPECT_EQ(clients.failed(), 0u);
}

TEST(ClosedLoop, TimesOfTheWarmUpDoNotCount) {
  const Records records(Mode::kInteractive, 10, 20);
  const Stream stream({{Asked::kRead, 3}});
  MapEngine engine;
  records.fill(engine);
  constexpr std::uint64_t kWarmUp = 100, kMeasured = 50;
  std::atomic<std::uint64_t> asked = 0;
  std::atomic<bool> warm = false, ending = false;
  ClosedLoop clients({ClassLoad{1, &stream, &records}, ClassLoad{}}, [&](Request& request) {
    execute(engine, request);
    if (++asked == kWarmUp) warm.wait(false);
    if (asked == kWarmUp + kMeasured) ending.wait(false);
  });
  while (asked < kWarmUp) std::this_thread::yield();
  clients.forget_latency();  // in the middle of the last request of the warm-up
  warm = true;
  warm.notify_all();
  while (asked < kWarmUp + kMeasured) std::this_thread::yield();
  std::jthread stopping([&] { clients.stop(); });
  ending = true;
  ending.notify_all();
  stopping.join();
  EXPECT_EQ(clients.latency_ns(Mode::kInteractive).count(), clients.answered() - kWarmUp);
  clients.forget_latency();
  EXPECT_EQ(clients.latency_ns(Mode::kInteractive).count(), 0u);
}

TEST(ClosedLoop, CountsWhatTheMiddlewareCounts) {
  const Records records(Mode::kInteractive, 50, 30);
  const Stream stream = draw_stream(ycsb_mix('a'), 50, 1000, 1);
  auto engine = std::make_shared<MapEngine>();
  records.fill(*engine);
  Options options;
  options.window = std::chrono::nanoseconds(0);
  Middleware middleware(options);
  middleware.start(engine, 2, 2);
  ClosedLoop clients({ClassLoad{20, &stream, &records}, ClassLoad{}}, [&](Request& request) {
    middleware.submit(request);
    middleware.wait(request);
  });
  while (clients.answered() < 2000) std::this_thread::yield();
  clients.stop();
  middleware.stop();
  EXPECT_EQ(middleware.get_stats().completed, clients.answered());
  // Answers that are held back are stamped when they are delivered, so the clients see no more than their own waking.
  EXPECT_LE(middleware.get_stats().mean_us, 1e-3 * clients.latency_ns(Mode::kInteractive).mean());
}

}  // namespace
}  // namespace pmtwin::middleware
