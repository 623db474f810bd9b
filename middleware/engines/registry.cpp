#include "middleware/engines/registry.h"

#include <algorithm>

namespace pmtwin::middleware {
namespace {

std::string shown(const GivenOptions::mapped_type& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? *text : std::to_string(std::get<std::uint64_t>(value));
}

void check_value(const EngineDesign& design, const std::string& name, const GivenOptions::mapped_type& value) {
  const auto option = std::ranges::find(design.options, name, &EngineOption::name);
  if (option == design.options.end()) {
    std::string names;
    for (const EngineOption& known : design.options) names += (names.empty() ? "" : ", ") + known.name;
    throw InputError(name, shown(value), "options of engine " + design.name + ": " + (names.empty() ? "none" : names));
  }
  const bool is_text = std::holds_alternative<std::string>(value);
  if (is_text == (option->kind == EngineOption::Kind::kText)) return;
  throw InputError(name, shown(value), is_text ? "a whole number" : "text");
}

}  // namespace

std::string EngineValues::text(const std::string& option) const {
  const auto value = given_.find(option);
  return value == given_.end() ? "" : std::get<std::string>(value->second);
}

std::uint64_t EngineValues::number(const std::string& option) const {
  const auto value = given_.find(option);
  return value == given_.end() ? 0 : std::get<std::uint64_t>(value->second);
}

std::shared_ptr<Engine> make_engine(std::string_view name, GivenOptions given) {
  const EngineDesign& design = Engines::named("engine", name);
  for (const auto& [option, value] : given) check_value(design, option, value);
  for (const EngineOption& option : design.options) {
    if (!option.required || given.contains(option.name)) continue;
    throw InputError(option.name, "", option.description + "; engine " + design.name + " needs it");
  }
  return design.make(EngineValues(std::move(given)));
}

}  // namespace pmtwin::middleware
