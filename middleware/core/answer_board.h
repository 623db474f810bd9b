// Notification of clients about their answers: many with one system call.
//
// Clients that submitted one after the other sleep on the same word, each on a bit of its own. As their requests are
// taken in the same order, a worker that holds a few answers back delivers most of them with a single wake-up call,
// during which none of the woken clients can take its processor from it. With a word for each client every answer is a
// call and a chance for that.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "middleware/core/request.h"
#include "native/common/futex.h"

namespace pmtwin::middleware {

class AnswerBoard {
 public:
  // Before the request is queued.
  void begin(Request& request) {
    request.ticket = next_ticket_.fetch_add(1, std::memory_order_relaxed);
    request.answer_state.store(kPending, std::memory_order_relaxed);
  }

  // Sleeps until the request is answered.
  void await(Request& request) const {
    std::uint32_t state = kPending;
    if (!request.answer_state.compare_exchange_strong(state, kAwaited, std::memory_order_acquire)) return;
    const std::atomic<std::uint32_t>& word = words_[word_of(request.ticket)].changes;
    for (;;) {
      const std::uint32_t changes = word.load(std::memory_order_acquire);
      if (request.answer_state.load(std::memory_order_acquire) == kAnswered) return;
      futex_wait_bits(word, changes, bit_of(request.ticket));
    }
  }

  // Delivers answers, which belong to their clients as soon as they are added.
  class Delivery {
   public:
    explicit Delivery(AnswerBoard& board) : board_(board) {}
    ~Delivery() { wake(); }

    void add(Request& request) {
      const std::uint32_t ticket = request.ticket;
      if (request.answer_state.exchange(kAnswered, std::memory_order_acq_rel) != kAwaited) return;
      if (word_of(ticket) != word_) wake();
      word_ = word_of(ticket);
      bits_ |= bit_of(ticket);
    }

   private:
    void wake() {
      if (bits_ == 0) return;
      std::atomic<std::uint32_t>& word = board_.words_[word_].changes;
      word.fetch_add(1, std::memory_order_release);
      futex_wake_bits(word, bits_);
      bits_ = 0;
    }

    AnswerBoard& board_;
    std::size_t word_ = 0;
    std::uint32_t bits_ = 0;
  };

 private:
  enum AnswerState : std::uint32_t { kPending, kAwaited, kAnswered };

  // Two sleepers share a bit only if 2048 requests of the class are under way; then one wakes for the other, and looks.
  static constexpr std::uint32_t kWords = 64, kBits = 32;

  static std::size_t word_of(std::uint32_t ticket) { return ticket / kBits % kWords; }
  static std::uint32_t bit_of(std::uint32_t ticket) { return std::uint32_t{1} << ticket % kBits; }

  struct alignas(64) Word {
    std::atomic<std::uint32_t> changes = 0;
  };

  std::array<Word, kWords> words_;
  alignas(64) std::atomic<std::uint32_t> next_ticket_ = 0;
};

}  // namespace pmtwin::middleware
