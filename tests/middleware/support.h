// Engines that do what a test wants.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "middleware/engines/engine.h"

namespace pmtwin::middleware::testing {

// Runs `during` in each operation.
class ScriptedEngine : public Engine {
 public:
  explicit ScriptedEngine(std::function<void(std::string_view key)> during) : during_(std::move(during)) {}

  Status get(std::string_view key, std::span<char>, std::size_t& bytes) noexcept override {
    bytes = 0;
    during_(key);
    return Status::kOk;
  }
  Status put(std::string_view key, std::string_view) noexcept override {
    during_(key);
    return Status::kOk;
  }
  Status remove(std::string_view key) noexcept override {
    during_(key);
    return Status::kOk;
  }
  Limits limits() const override { return {0, SIZE_MAX, SIZE_MAX}; }
  std::string describe() const override { return "scripted"; }

 private:
  std::function<void(std::string_view)> during_;
};

// A door that keeps operations inside until it is opened.
class Door {
 public:
  void open() {
    open_ = true;
    open_.notify_all();
  }
  void pass() {
    ++inside_;
    inside_.notify_all();
    open_.wait(false);
    --inside_;
  }
  // Waits until `count` stand before it.
  void wait_for(int count) {
    for (int inside = inside_; inside < count; inside = inside_) inside_.wait(inside);
  }
  int inside() const { return inside_; }

 private:
  std::atomic<bool> open_ = false;
  std::atomic<int> inside_ = 0;
};

}  // namespace pmtwin::middleware::testing
