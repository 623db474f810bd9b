#include "middleware/replay/key_space.h"

#include <algorithm>
#include <string>

#include "native/common/errors.h"
#include "native/common/interruption.h"

namespace pmtwin::replay {

void KeySpace::prepare(middleware::Mode mode, const std::vector<std::uint32_t>& sizes) {
  auto& names = names_[static_cast<std::size_t>(mode)];
  for (const std::uint32_t bytes : sizes) {
    if (names.contains(bytes)) continue;
    reach(bytes);
    std::vector<std::string> keys(std::max<std::size_t>(1, keys_ / sizes.size()));
    for (std::size_t k = 0; k < keys.size(); ++k) {
      keys[k] = (mode == middleware::Mode::kInteractive ? "i:" : "b:") + std::to_string(bytes) + ":" + std::to_string(k);
      Interruptible::check();
      check(engine_.put(keys[k], value(bytes)), bytes);
    }
    names.emplace(bytes, std::move(keys));
  }
}

void KeySpace::check(middleware::Status status, std::uint32_t bytes) const {
  using middleware::Status;
  if (status == Status::kOk) return;
  const std::string found = std::string(name_of(status)) + " at a value of " + std::to_string(bytes) + " bytes";
  if (status == Status::kOutOfSpace) {
    throw InputError("keys", std::to_string(keys_), "fewer keys, or a store with more room", "are too many: " + found);
  }
  if (status == Status::kRefused) {
    throw InputError("value", std::to_string(bytes) + " bytes",
                     "at most " + std::to_string(engine_.limits().most_value_bytes) + " bytes in this store");
  }
  throw middleware::EngineError("the store failed before the replay: " + found);
}

void KeySpace::reach(std::size_t bytes) {
  if (!letters_.empty() && bytes <= letters_.back().size()) return;
  const std::size_t doubled = letters_.empty() ? 0 : 2 * letters_.back().size();
  std::string longer(std::max(bytes, doubled), '\0');
  std::uint64_t word = 1;
  for (char& letter : longer) letter = static_cast<char>((word = word * 6364136223846793005u + 1442695040888963407u) >> 56);
  letters_.push_back(std::move(longer));
}

std::string_view KeySpace::key(middleware::Mode mode, std::uint32_t bytes, std::uint64_t number) const {
  const auto& keys = names_[static_cast<std::size_t>(mode)].at(bytes);
  std::uint64_t z = (number + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  return keys[(z ^ (z >> 31)) % keys.size()];
}

}  // namespace pmtwin::replay
