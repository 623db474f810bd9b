#include <cstdio>
#include <exception>
#include <memory>
#include <thread>

#include "middleware/engines/map_engine.h"
#include "middleware/policy/policy_file.h"
#include "middleware/steering/steering.h"

using namespace pmtwin;

int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  auto policy = policy::load_policy(argv[1]);  // throws PolicyFileError: file, field, what is allowed
  middleware::Middleware middleware({.direct = policy->direct(), .window = std::chrono::nanoseconds(0)});
  middleware.start(std::make_shared<middleware::MapEngine>(), 4, 4);

  std::jthread client([&middleware](std::stop_token end) {  // in the place of your application
    while (!end.stop_requested()) middleware.put("key", "value", middleware::Mode::kInteractive);
  });

  steering::Steering steering(middleware, std::move(policy));  // sets the pools that the policy begins with
  std::puts("# interactive_threads batch_threads interactive_queue_size batch_queue_size interactive_block_size "
            "batch_block_size interactive_write_ratio batch_write_ratio p99_us throughput_ops "
            "interactive_ops batch_ops next_interactive_threads next_batch_threads");
  for (int window = 0; window < 20; ++window) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const auto done = steering.step();  // closes the window and acts; nothing if no request was answered
    if (!done) continue;
    const auto& [stats, state, choice, pools] = *done;
    for (const double value : policy::numbers_of(state)) std::printf("%.17g ", value);
    std::printf("%.17g %.17g %.17g %.17g %d %d\n", stats.p99_us, stats.throughput_ops, stats.interactive_ops,
                stats.batch_ops, pools.interactive_threads, pools.batch_threads);
  }

  steering.start(std::chrono::seconds(1));  // or: the same after each second, in a thread of its own
  steering.stop();                          // throws what went wrong there
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
