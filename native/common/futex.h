// Sleeping until a 32-bit word changes, and waking who sleeps: the kernel's futex, within one process.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <ctime>

namespace pmtwin {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

// Returns when woken, at once if the word is not `expected`, and now and then for no reason.
inline void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

// Waits until a deadline; false once it has passed.
inline bool futex_wait_until(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                             std::chrono::steady_clock::time_point until) {
  const auto since_boot = until.time_since_epoch();  // CLOCK_MONOTONIC, as FUTEX_WAIT_BITSET has it
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since_boot);
  const timespec end{static_cast<time_t>(seconds.count()),
                     static_cast<long>(std::chrono::nanoseconds(since_boot - seconds).count())};
  return syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, expected, &end, nullptr, FUTEX_BITSET_MATCH_ANY) == 0 ||
         errno != ETIMEDOUT;
}

// The word may be gone already: the kernel takes its address for a name and no more.
inline void futex_wake(const std::atomic<std::uint32_t>& word, int sleepers) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, sleepers, nullptr, nullptr, 0);
}

// The same for some of those who sleep on one word: who shares a bit with those to be woken. One call wakes many.
inline void futex_wait_bits(const std::atomic<std::uint32_t>& word, std::uint32_t expected, std::uint32_t bits) {
  syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, expected, nullptr, nullptr, bits);
}

inline void futex_wake_bits(const std::atomic<std::uint32_t>& word, std::uint32_t bits) {
  syscall(SYS_futex, &word, FUTEX_WAKE_BITSET_PRIVATE, INT32_MAX, nullptr, nullptr, bits);
}

}  // namespace pmtwin
