// Sleeping until a 32-bit word changes, and waking who sleeps: the kernel's futex, within one process.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace pmtwin {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

// Returns when woken, at once if the word is not `expected`, and now and then for no reason.
inline void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
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
