#include "middleware/policy/policy_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "middleware/policy/afterstate.h"
#include "middleware/policy/constant.h"
#include "middleware/policy/linear_q.h"
#include "middleware/policy/mlp.h"
#include "middleware/policy/threshold.h"

namespace pmtwin::policy {
namespace {

using Json = nlohmann::json;

constexpr const char* kFormat = "pmtwin-steering-policy";
constexpr int kSchema = 1;
constexpr int kMaxThreads = 32;
constexpr std::size_t kMaxTerms = 4096;
constexpr std::size_t kMaxLayers = 16;
constexpr std::size_t kMaxUnits = 4096;
constexpr int kMaxAtoms = kMaxUnits / kActions;
constexpr int kMostWindows = 100;
constexpr std::size_t kColumns = std::tuple_size_v<Numbers>;

class Refused : public std::runtime_error {
 public:
  Refused(const std::string& field, const std::string& allowed)
      : std::runtime_error(field + " is not accepted; allowed: " + allowed) {}
  explicit Refused(const std::string& field) : std::runtime_error(field + " is missing: pmtwin export writes it") {}
};

const Json& at(const Json& object, const char* field) {
  if (!object.is_object() || !object.contains(field)) throw Refused(field);
  return object.at(field);
}

double number(const Json& value, const std::string& field) {
  if (!value.is_number() || !std::isfinite(value.get<double>())) throw Refused(field, "a finite number");
  return value.get<double>();
}

double positive(const Json& value, const std::string& field) {
  const double found = number(value, field);
  if (found <= 0.0) throw Refused(field, "a number above 0");
  return found;
}

int whole(const Json& value, const std::string& field, int low, int high) {
  if (!value.is_number_integer() || value.get<double>() < low || value.get<double>() > high) {
    throw Refused(field, "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
  }
  return value.get<int>();
}

const Json& list(const Json& object, const char* field, std::size_t least, std::size_t most) {
  const Json& found = at(object, field);
  if (!found.is_array() || found.size() < least || found.size() > most) {
    throw Refused(field, least == most ? "a list of " + std::to_string(least)
                                       : "a list of " + std::to_string(least) + " to " + std::to_string(most));
  }
  return found;
}

int action(const Json& value, const std::string& field) { return whole(value, field, 0, kActions - 1); }

std::vector<int> moves(const Json& object, const char* field) {
  std::vector<int> found;
  for (const Json& each : list(object, field, 1, 64)) found.push_back(action(each, field));
  return found;
}

std::unique_ptr<Policy> fixed(const Json& file) {
  const Json& pools = list(file, "pools", 2, 2);
  return std::make_unique<Fixed>(Pools{whole(pools[0], "pools", 1, kMaxThreads), whole(pools[1], "pools", 1, kMaxThreads)});
}

std::unique_ptr<Policy> threshold(const Json& file) {
  constexpr int kMost = 1'000'000;
  const Json& moved = at(file, "moves");
  ThresholdRules rules{
      .latency_goal_us = positive(at(file, "latency_goal_us"), "latency_goal_us"),
      .throughput_goal_ops = positive(at(file, "throughput_goal_ops"), "throughput_goal_ops"),
      .confirm_windows = whole(at(file, "confirm_windows"), "confirm_windows", 1, kMost),
      .progress = number(at(file, "progress"), "progress"),
      .slack_latency = number(at(file, "slack_latency"), "slack_latency"),
      .slack_windows = whole(at(file, "slack_windows"), "slack_windows", 1, kMost),
      .slack_windows_max = whole(at(file, "slack_windows_max"), "slack_windows_max", 1, kMost),
      .late = moves(moved, "late"),
      .slow = moves(moved, "slow"),
      .both = moves(moved, "both"),
      .give_back_interactive = action(at(file, "give_back_interactive"), "give_back_interactive"),
      .give_back_batch = action(at(file, "give_back_batch"), "give_back_batch"),
  };
  return std::make_unique<Threshold>(std::move(rules));
}

bool truth(const Json& object, const char* field) {
  const Json& value = at(object, field);
  if (!value.is_boolean()) throw Refused(field, "true or false");
  return value.get<bool>();
}

std::vector<Column> columns(const Json& file, std::size_t count) {
  std::vector<Column> read;
  for (const Json& row : list(file, "columns", count, count)) {
    read.push_back({truth(row, "log"), number(at(row, "mean"), "mean"), positive(at(row, "scale"), "scale")});
  }
  return read;
}

std::array<Column, kColumns> state_columns(const Json& file) {
  std::array<Column, kColumns> read;
  std::ranges::copy(columns(file, kColumns), read.begin());
  return read;
}

std::unique_ptr<Policy> linear_q(const Json& file) {
  LinearQModel model;
  model.clip = positive(at(file, "clip"), "clip");
  model.columns = state_columns(file);
  for (const Json& term : list(file, "terms", 1, kMaxTerms)) {
    const int rest_below = static_cast<int>(model.terms.size()) - 1;  // an earlier term: no loops, nothing unset
    model.terms.push_back({whole(at(term, "first"), "first", 0, static_cast<int>(kColumns) - 1),
                           whole(at(term, "rest"), "rest", -1, rest_below), number(at(term, "mean"), "mean"),
                           positive(at(term, "scale"), "scale")});
    const Json& weights = list(term, "weights", kActions, kActions);
    auto& row = model.weights.emplace_back();
    for (std::size_t a = 0; a < row.size(); ++a) row[a] = number(weights[a], "weights");
  }
  const Json& intercepts = list(file, "intercepts", kActions, kActions);
  for (std::size_t a = 0; a < model.intercepts.size(); ++a) model.intercepts[a] = number(intercepts[a], "intercepts");
  return std::make_unique<LinearQ>(std::move(model));
}

std::vector<double> numbers(const Json& object, const char* field, std::size_t count) {
  std::vector<double> read;
  for (const Json& value : list(object, field, count, count)) read.push_back(number(value, field));
  return read;
}

Activation activation_of(const Json& file) {
  const Json& activation = at(file, "activation");
  if (activation == "tanh") return Activation::kTanh;
  if (activation == "relu") return Activation::kRelu;
  if (activation == "swish") return Activation::kSwish;
  throw Refused("activation", "tanh, relu, swish");
}

std::vector<Layer> layers_of(const Json& file, std::size_t inputs, std::size_t last_outputs) {
  std::vector<Layer> layers;
  for (const Json& layer : list(file, "layers", 1, kMaxLayers)) {
    const std::size_t outputs = list(layer, "biases", 1, kMaxUnits).size();
    Layer read{.weights = {}, .biases = numbers(layer, "biases", outputs)};
    for (const Json& row : list(layer, "weights", outputs, outputs)) {
      read.weights.push_back(numbers(Json{{"weights", row}}, "weights", inputs));
    }
    layers.push_back(std::move(read));
    inputs = outputs;
  }
  if (inputs != last_outputs) throw Refused("layers", "a last layer of " + std::to_string(last_outputs) + " outputs");
  return layers;
}

std::vector<Measure> measures_of(const Json& file) {
  static const std::map<std::string, Measure> known{
      {"p99_us", &WindowStats::p99_us},
      {"throughput_ops", &WindowStats::throughput_ops},
      {"interactive_ops", &WindowStats::interactive_ops},
      {"batch_ops", &WindowStats::batch_ops},
  };
  std::vector<Measure> read;
  for (const Json& name : list(file, "measures", 0, known.size())) {
    const auto found = name.is_string() ? known.find(name.get<std::string>()) : known.end();
    if (found == known.end()) throw Refused("measures", "p99_us, throughput_ops, interactive_ops, batch_ops");
    read.push_back(found->second);
  }
  return read;
}

std::optional<Atoms> atoms_of(const Json& file) {
  if (!file.contains("atoms")) return std::nullopt;
  const Json& atoms = file.at("atoms");
  const Atoms read{.count = static_cast<std::size_t>(whole(at(atoms, "count"), "count", 2, kMaxAtoms)),
                   .low = number(at(atoms, "low"), "low"),
                   .high = number(at(atoms, "high"), "high")};
  if (read.low >= read.high) throw Refused("high", "a number above low");
  return read;
}

// Files without `measures`, `windows` and `jumps` read the state and choose an action.
std::unique_ptr<Policy> mlp(const Json& file) {
  std::vector<Measure> measures = file.contains("measures") ? measures_of(file) : std::vector<Measure>{};
  const int windows = file.contains("windows") ? whole(file.at("windows"), "windows", 1, kMostWindows) : 1;
  const bool jumps = file.contains("jumps") && truth(file, "jumps");
  const std::size_t inputs = windows * (kColumns + measures.size());
  const std::optional<Atoms> atoms = atoms_of(file);
  const std::size_t values = jumps ? middleware::kModes * kPoolSizes : kActions;
  if (jumps && atoms) throw Refused("atoms", "none beside jumps");
  return std::make_unique<Mlp>(MlpModel{
      .clip = positive(at(file, "clip"), "clip"),
      .measures = std::move(measures),
      .windows = static_cast<std::size_t>(windows),
      .jumps = jumps,
      .columns = columns(file, inputs),
      .activation = activation_of(file),
      .layers = layers_of(file, inputs, atoms ? values * atoms->count : values),
      .atoms = atoms,
  });
}

std::unique_ptr<Policy> afterstate(const Json& file) {
  std::vector<Measure> measures = measures_of(file);
  const std::size_t inputs = kWindowsRead * (kColumns + measures.size()) + middleware::kModes;
  return std::make_unique<Afterstate>(AfterstateModel{
      .clip = positive(at(file, "clip"), "clip"),
      .measures = std::move(measures),
      .columns = columns(file, inputs),
      .activation = activation_of(file),
      .layers = layers_of(file, inputs, 1),
      .hysteresis = file.contains("hysteresis") ? number(file.at("hysteresis"), "hysteresis") : 0.0,
  });
}

std::unique_ptr<Policy> read(const Json& file) {
  if (at(file, "format") != kFormat) throw Refused("format", kFormat);
  if (at(file, "schema") != kSchema) throw Refused("schema", std::to_string(kSchema));
  const Json& kind = at(file, "kind");
  if (kind == "none") return std::make_unique<NoMiddleware>();
  if (kind == "fixed") return fixed(file);
  if (kind == "threshold") return threshold(file);
  if (kind == "linear-q") return linear_q(file);
  if (kind == "mlp") return mlp(file);
  if (kind == "afterstate") return afterstate(file);
  throw Refused("kind", "none, fixed, threshold, linear-q, mlp, afterstate");
}

}  // namespace

std::unique_ptr<Policy> load_policy(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) {
    throw PolicyFileError(path, "cannot be read; allowed: a file that pmtwin export wrote");
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  try {
    return read(Json::parse(text));
  } catch (const Json::exception&) {
    throw PolicyFileError(path, "is not JSON; allowed: a file that pmtwin export wrote");
  } catch (const Refused& error) {
    throw PolicyFileError(path, error.what());
  }
}

}  // namespace pmtwin::policy
