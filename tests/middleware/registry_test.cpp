// Engines and queues are found by the names under which they registered themselves, each in its own file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "middleware/core/middleware.h"
#include "middleware/engines/registry.h"
#include "middleware/pools/queue_pool.h"
#include "middleware/pools/queue_registry.h"
#include "tests/middleware/support.h"

namespace pmtwin::middleware {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

// All that a new engine is: it stands in no other file.
class Told final : public testing::ScriptedEngine {
 public:
  explicit Told(std::string said) : ScriptedEngine([](std::string_view) {}), said_(std::move(said)) {}
  std::string describe() const override { return said_; }

 private:
  const std::string said_;
};

const Engines::Entry told_entry{{
    .name = "told",
    .description = "says what it was told",
    .keeps = Keeps::kNothing,
    .options = {{"words", "what it says", EngineOption::Kind::kText, true},
                {"times", "how often", EngineOption::Kind::kNumber}},
    .make =
        [](const EngineValues& values) {
          return std::make_shared<Told>(values.text("words") + " " + std::to_string(values.number("times")));
        },
}};

// The names in a list of CMake's.
std::set<std::string> names_in(const std::string& list) {
  std::set<std::string> names;
  std::istringstream words(list);
  for (std::string word; words >> word;) names.insert(word);
  return names;
}

template <class Registry>
std::set<std::string> names_of() {
  std::set<std::string> names;
  for (const auto& [name, design] : Registry::all()) {
    EXPECT_NE(design.description, "") << name;
    names.insert(name);
  }
  return names;
}

std::string error_of(std::string_view name, GivenOptions given) {
  try {
    make_engine(name, std::move(given));
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(EngineRegistry, HasThatOfEachFileThatWasBuiltAndTheProgramsOwn) {
  std::set<std::string> expected = names_in(PMTWIN_ENGINE_FILES);
  EXPECT_TRUE(expected.contains("map") && expected.contains("null")) << PMTWIN_ENGINE_FILES;
  expected.insert("told");
  EXPECT_EQ(names_of<Engines>(), expected);
}

TEST(EngineRegistry, MakesAnEngineWithItsOptions) {
  EXPECT_EQ(make_engine("told", {{"words", "hello"}, {"times", std::uint64_t{3}}})->describe(), "hello 3");
  EXPECT_EQ(make_engine("told", {{"words", "hello"}})->describe(), "hello 0");
  Middleware middleware;
  middleware.start(make_engine("map"), 1, 1);
  EXPECT_EQ(middleware.put("key", "value", Mode::kBatch), Status::kOk);
}

TEST(EngineRegistry, RefusesWhatAnEngineDoesNotTake) {
  EXPECT_THAT(error_of("nope", {}), AllOf(HasSubstr("engine: 'nope'"), HasSubstr("map, null")));
  EXPECT_THAT(error_of("map", {{"path", "x"}}), HasSubstr("path: 'x'"));
  EXPECT_THAT(error_of("map", {{"path", "x"}}), HasSubstr("options of engine map: none"));
  EXPECT_THAT(error_of("told", {{"word", "x"}}), HasSubstr("words, times"));
  EXPECT_THAT(error_of("told", {{"words", std::uint64_t{7}}}), HasSubstr("words: '7' is not accepted; allowed: text"));
  EXPECT_THAT(error_of("told", {{"times", "x"}, {"words", "x"}}), HasSubstr("a whole number"));
  EXPECT_THAT(error_of("told", {}), AllOf(HasSubstr("words: ''"), HasSubstr("engine told needs it")));
}

TEST(EngineRegistry, ANameIsTakenOnce) {
  EXPECT_THROW(Engines::Entry(EngineDesign{.name = "null"}), std::logic_error);
}

TEST(QueueRegistry, HasThatOfEachFileThatWasBuilt) {
  const std::vector<std::string> names = queue_names();
  EXPECT_EQ(names_of<Queues>(), names_in(PMTWIN_QUEUE_FILES));
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()), names_in(PMTWIN_QUEUE_FILES));
  EXPECT_THAT(names, Contains(Options{}.queue));
  Options options;
  options.queue = "nope";
  EXPECT_THROW(Middleware{options}, InputError);
}

}  // namespace
}  // namespace pmtwin::middleware
