// Prints the engines that somebody else's program finds by name; opens a pool of pmemkv's at the path that is given.
#include <cstdio>

#include "middleware/core/middleware.h"
#include "middleware/engines/registry.h"

using namespace pmtwin::middleware;

int main(int argc, char** argv) {
  try {
    const GivenOptions pool{{"path", argc > 1 ? argv[1] : ""}, {"live_bytes", std::uint64_t{1}}};
    if (argc > 1) std::puts(make_engine("pmemkv", pool)->describe().c_str());
    const Middleware with_a_queue;
    for (const auto& [name, design] : Engines::all()) std::printf("%s\n", name.c_str());
    return 0;
  } catch (const EngineError& error) {
    std::puts(error.what());
    return 2;
  }
}
