// Numbered changes of a key, and values that tell which put they are of and whether they are whole.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace pmtwin::middleware {

constexpr std::size_t kMostVersionBytes = 3000;

// Changes of a key are numbered: 1, 2, ...; each fourth removes the key, the others put a value of another size. Before
// the first, the key is absent as after a removal.
constexpr std::uint64_t kRemovalEvery = 4;
constexpr bool is_removal(std::uint64_t version) { return version % kRemovalEvery == 0; }

// Whether any of the changes `first` to `last` is a removal.
constexpr bool has_removal(std::uint64_t first, std::uint64_t last) {
  return is_removal(first) || first / kRemovalEvery < last / kRemovalEvery;
}

// The value that change number `version` of a key puts: the number, then so many bytes that follow from both.
inline std::string versioned_value(std::uint64_t key, std::uint64_t version) {
  std::uint64_t state = key * 0x9E3779B97F4A7C15u + version;
  const auto next = [&state] {
    state += 0x9E3779B97F4A7C15u;
    std::uint64_t z = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  };
  std::string value(sizeof version + next() % (kMostVersionBytes - sizeof version), '\0');
  std::memcpy(value.data(), &version, sizeof version);
  for (std::size_t at = sizeof version; at < value.size(); ++at) value[at] = static_cast<char>(next());
  return value;
}

// The version, if the value is whole.
inline std::optional<std::uint64_t> version_of(std::uint64_t key, std::string_view value) {
  std::uint64_t version = 0;
  if (value.size() < sizeof version) return std::nullopt;
  std::memcpy(&version, value.data(), sizeof version);
  if (versioned_value(key, version) != value) return std::nullopt;
  return version;
}

}  // namespace pmtwin::middleware
