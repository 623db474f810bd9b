// Where the next access goes, cheaply enough not to be what is measured (`offset_cost_ns` in the result says how
// cheap).
#pragma once

#include <algorithm>
#include <cstdint>

namespace pmtwin::probe {

// A part of the region and the order in which a thread visits it.
struct Walk {
  std::uint64_t first_byte = 0;
  std::uint64_t bytes = 0;
  std::uint64_t access_bytes = 64;
  std::uint64_t stride_bytes = 0;  // 0: the accesses touch one another; sequential only
  bool random = false;
  std::uint64_t seed = 1;
};

// Random: one of the aligned blocks of access size, all equally likely. Sequential: block after block, or one block in
// each stride, from a start of the thread's own (parts of equal size would otherwise be walked in lockstep, in the same
// banks of the memory). A strided walk that comes round goes on with the blocks that it left out: the few that it
// touched would be in the cache.
class Offsets {
 public:
  explicit Offsets(const Walk& walk)
      : first_(walk.first_byte),
        access_(walk.access_bytes),
        step_(walk.stride_bytes == 0 ? walk.access_bytes : walk.stride_bytes),
        blocks_(walk.bytes / step_),
        random_(walk.random),
        state_(mixed(walk.seed)) {
    block_ = scaled(next_bits());
  }

  // Sequential without a stride: accesses that touch one another, which need no more than one offset for many.
  bool contiguous() const { return !random_ && access_ == step_; }

  // A contiguous walk takes at most `most` blocks up to the end of the part, from `offset` on.
  struct Run {
    std::uint64_t offset, blocks;
  };
  Run next_run(std::uint64_t most) {
    const Run run{first_ + block_ * step_, std::min(most, blocks_ - block_)};
    block_ += run.blocks;
    if (block_ == blocks_) block_ = 0;
    return run;
  }

  [[gnu::always_inline]] std::uint64_t next() {
    if (random_) return first_ + scaled(next_bits()) * step_;
    const std::uint64_t offset = first_ + block_ * step_ + shift_;
    if (++block_ == blocks_) come_round();
    return offset;
  }

 private:
  [[gnu::always_inline]] void come_round() {
    block_ = 0;
    shift_ += access_;
    if (shift_ + access_ > step_) shift_ = 0;
  }

  // A linear congruential generator modulo 2^64 (Knuth, MMIX): two instructions, so that many accesses fit into the
  // processor's window; its upper bits, which alone count here, are good enough for an order.
  std::uint64_t next_bits() {
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    return state_;
  }

  // Upper half of the product: bits to 0..blocks-1 without a division (Lemire 2019, without its rejection: with at most
  // 2^34 blocks the bias is below 1e-9).
  std::uint64_t scaled(std::uint64_t bits) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(bits) * blocks_) >> 64);
  }

  static std::uint64_t mixed(std::uint64_t seed) {  // SplitMix64: neighbouring seeds shall not give neighbouring walks
    seed += 0x9e3779b97f4a7c15;
    seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9;
    seed = (seed ^ (seed >> 27)) * 0x94d049bb133111eb;
    return seed ^ (seed >> 31);
  }

  std::uint64_t first_, access_, step_, blocks_;
  std::uint64_t block_ = 0, shift_ = 0;
  bool random_;
  std::uint64_t state_;
};

}  // namespace pmtwin::probe
