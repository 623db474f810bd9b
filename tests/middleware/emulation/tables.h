#pragma once
// Small service tables for tests, with numbers that can be followed by hand.

#include <nlohmann/json.hpp>

#include "middleware/emulation/service_table.h"

namespace pmtwin::emulation {

struct SimpleTable {
  double software = 10, device = 100;      // ns
  int workers = 4, hardware_threads = 4;   // of each class
  bool polls = true;
  double wakeup = 0, client_wakeup = 0;
  double noise = 1;                        // factor on the processors' work
  bool direct = false;                     // no middleware
};

// A device that is shared evenly (n operations take n times as long, both classes alike), on processors that all threads
// have to themselves. Reads only.
nlohmann::json simple_table_text(const SimpleTable& simple);
ServiceTable simple_table(const SimpleTable& simple = {});

}  // namespace pmtwin::emulation
