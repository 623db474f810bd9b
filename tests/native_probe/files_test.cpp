#include "native/common/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/native_probe/fake_root.h"

namespace pmtwin::probe {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Files, TextComesWithoutItsLastNewline) {
  const FakeRoot root;
  root.put("file", "always\n");
  EXPECT_EQ(read_text(root / "file"), "always");
  EXPECT_EQ(read_text(root / "absent"), std::nullopt);
  EXPECT_EQ(read_text(root.path()), std::nullopt) << "a folder is no text";
}

TEST(Files, ListsOfProcessors) {
  EXPECT_THAT(parse_cpu_list("0-3,8"), ElementsAre(0, 1, 2, 3, 8));
  EXPECT_THAT(parse_cpu_list("5"), ElementsAre(5));
  EXPECT_THAT(parse_cpu_list(""), IsEmpty());
  EXPECT_THAT(parse_cpu_list("x,2"), ElementsAre(2));
}

}  // namespace
}  // namespace pmtwin::probe
