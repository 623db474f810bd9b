// Does nothing, at once: what a request costs over it is the middleware's own cost.
#pragma once

#include <cstdint>

#include "middleware/engines/engine.h"

namespace pmtwin::middleware {

class NullEngine final : public Engine {
 public:
  Status get(std::string_view, std::span<char>, std::size_t& bytes) noexcept override {
    bytes = 0;
    return Status::kOk;
  }
  Status put(std::string_view, std::string_view) noexcept override { return Status::kOk; }
  Status remove(std::string_view) noexcept override { return Status::kOk; }
  Limits limits() const override { return {0, SIZE_MAX, SIZE_MAX}; }
  std::string describe() const override { return "null: does nothing"; }
};

}  // namespace pmtwin::middleware
