// What a window of requests showed (thesis Table 3.1, get_stats) and the state that a policy sees (Table 3.2). Names,
// order and units are those of the twin.
#pragma once

#include <cstdint>

namespace pmtwin::middleware {

// Latencies from submission to answer in microseconds, rates in operations per second; 0 for a class without answers.
struct WindowStats {
  double p99_us = 0;  // of the interactive class
  double p99_batch_us = 0;
  double mean_us = 0;
  double mean_batch_us = 0;
  double throughput_ops = 0;
  double interactive_ops = 0;
  double batch_ops = 0;
  double duration_s = 0;
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;  // of these: is_failure() of their status
};

// Queue sizes are means over the last window: the number of requests that no worker had taken, integrated over the
// window's time, whether they were answered in it or not; 0 in direct mode. Block sizes (bytes) and shares of writes are
// of the class' last window with answers; 0 before the first.
struct State {
  int interactive_threads = 0;
  int batch_threads = 0;
  double interactive_queue_size = 0;
  double batch_queue_size = 0;
  double interactive_block_size = 0;
  double batch_block_size = 0;
  double interactive_write_ratio = 0;
  double batch_write_ratio = 0;
};

}  // namespace pmtwin::middleware
