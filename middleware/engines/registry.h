// The engines of this build, by name. Each registers itself in its own file:
//   const Engines::Entry entry{{.name = "mine", .description = "...", .make = [](const EngineValues&) { ... }}};
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "middleware/engines/engine.h"
#include "native/common/registry.h"

namespace pmtwin::middleware {

// What an engine can be told when it is made. Options of several engines that mean the same are called the same:
// `path` is a file of the engine's own, `pool_bytes` its size, `live_bytes` the most that the store will hold.
struct EngineOption {
  enum class Kind { kText, kNumber };

  std::string name;
  std::string description;
  Kind kind = Kind::kText;
  bool required = false;
};

using GivenOptions = std::map<std::string, std::variant<std::string, std::uint64_t>>;

// Options that were given and checked.
class EngineValues {
 public:
  explicit EngineValues(GivenOptions given) : given_(std::move(given)) {}

  // Value of an option of this kind; empty, or 0, if it was not given.
  std::string text(const std::string& option) const;
  std::uint64_t number(const std::string& option) const;

 private:
  GivenOptions given_;
};

enum class Keeps { kNothing, kInMemory, kInFile };

constexpr std::string_view name_of(Keeps keeps) {
  constexpr std::string_view kNames[] = {"nothing", "in memory", "in a file"};
  return kNames[static_cast<int>(keeps)];
}

struct EngineDesign {
  std::string name;
  std::string description{};  // one line, for a user's choice
  Keeps keeps = Keeps::kInMemory;
  std::vector<EngineOption> options{};
  std::function<std::shared_ptr<Engine>(const EngineValues&)> make{};
};

using Engines = Registry<EngineDesign>;

// Throws InputError for an unknown engine, and for an option that it does not have, that is of another kind, or that is
// missing; and as the engine's constructor.
std::shared_ptr<Engine> make_engine(std::string_view name, GivenOptions given = {});

}  // namespace pmtwin::middleware
