#include "middleware/numa_load/keys.h"

#include <random>

namespace pmtwin::middleware {
namespace {

constexpr std::uint64_t kAsked = 1u << 16;  // drawn; then from the beginning again

}  // namespace

Stream draw_keys(const KeyChoice& choice) {
  const std::uint32_t parts = choice.own_keys && choice.records >= choice.threads ? choice.threads : 1;
  const std::uint32_t of_part = choice.records / parts, whole = parts * (choice.sequential ? of_part : 1);
  std::mt19937_64 random(choice.seed);
  std::uniform_real_distribution<double> share(0.0, 1.0);
  std::uniform_int_distribution<std::uint32_t> any(0, of_part - 1);
  std::vector<Asked> asked((kAsked + whole - 1) / whole * whole);  // its end meets its beginning
  for (std::size_t number = 0; number < asked.size(); ++number) {
    asked[number].kind = share(random) < choice.reads ? Asked::kRead : Asked::kUpdate;
    const auto place = static_cast<std::uint32_t>(number % whole);
    asked[number].record = choice.sequential ? place : place + parts * any(random);
  }
  return Stream(std::move(asked));
}

}  // namespace pmtwin::middleware
