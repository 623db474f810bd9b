// What pmemkv's answers mean, over a database that gives any answer that a test wants.
#include "middleware/engines/pmemkv_database.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>

namespace pmtwin::middleware {
namespace {

using pmem::kv::status;

struct ScriptedDatabase {
  status changes = status::OK;
  status reads = status::OK;
  std::string stored;

  status put(pmem::kv::string_view, pmem::kv::string_view) { return changes; }
  status remove(pmem::kv::string_view) { return changes; }
  status get(pmem::kv::string_view, void (*out)(const char*, std::size_t, void*), void* argument) {
    if (reads == status::OK) out(stored.data(), stored.size(), argument);
    return reads;
  }
};

TEST(PmemkvAnswers, WithoutRoomReadingSaysWhatBecameOfAPut) {
  const auto after = [](status reads, const std::string& stored) {
    ScriptedDatabase database{status::OUT_OF_MEMORY, reads, stored};
    return put_into(database, "key", "new");
  };
  EXPECT_EQ(after(status::OK, "new"), Status::kOk);
  EXPECT_EQ(after(status::OK, "old"), Status::kOutOfSpace);
  EXPECT_EQ(after(status::NOT_FOUND, ""), Status::kOutOfSpace);
  for (const status reads : {status::UNKNOWN_ERROR, status::OUT_OF_MEMORY, status::TRANSACTION_SCOPE_ERROR}) {
    EXPECT_EQ(after(reads, "new"), Status::kOutcomeUnknown);
  }
}

TEST(PmemkvAnswers, OtherFailuresSayWhetherAnythingCanHaveChanged) {
  for (const auto& [answer, meaning] : {std::pair{status::OK, Status::kOk},
                                        {status::INVALID_ARGUMENT, Status::kFailed},
                                        {status::NOT_SUPPORTED, Status::kFailed},
                                        {status::TRANSACTION_SCOPE_ERROR, Status::kFailed},
                                        {status::UNKNOWN_ERROR, Status::kOutcomeUnknown}}) {
    ScriptedDatabase database{answer, status::OK, ""};
    EXPECT_EQ(put_into(database, "key", "new"), meaning);
    EXPECT_EQ(remove_from(database, "key"), meaning);
  }
  ScriptedDatabase without{status::NOT_FOUND, status::OK, ""};
  EXPECT_EQ(remove_from(without, "key"), Status::kNotFound);
}

TEST(PmemkvAnswers, AGetThatFailsHasNoBytes) {
  std::array<char, 3> buffer;
  std::size_t bytes = 9;
  ScriptedDatabase failing{status::OK, status::UNKNOWN_ERROR, "new"};
  EXPECT_EQ(get_from(failing, "key", buffer, bytes), Status::kFailed);
  EXPECT_EQ(bytes, 0u);
  ScriptedDatabase longer{status::OK, status::OK, "newer"};
  EXPECT_EQ(get_from(longer, "key", buffer, bytes), Status::kBufferTooSmall);
  EXPECT_EQ(bytes, 5u);
}

}  // namespace
}  // namespace pmtwin::middleware
