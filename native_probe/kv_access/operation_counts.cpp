#include "native_probe/kv_access/operation_counts.h"

#include <algorithm>
#include <bit>
#include <set>

namespace pmtwin::probe {

OperationCounts& OperationCounts::operator+=(const OperationCounts& other) {
  flush_calls += other.flush_calls;
  flushed_lines += other.flushed_lines;
  streamed_bytes += other.streamed_bytes;
  copied_bytes += other.copied_bytes;
  fences += other.fences;
  rounds += other.rounds;
  media_lines += other.media_lines;
  media_line_writes += other.media_line_writes;
  value_bytes += other.value_bytes;
  log_bytes += other.log_bytes;
  synchronised_bytes += other.synchronised_bytes;
  return *this;
}

OperationCounts OperationCounts::operator/(double by) const {
  OperationCounts result = *this;
  for (double* field : {&result.flush_calls, &result.flushed_lines, &result.streamed_bytes, &result.copied_bytes,
                        &result.fences, &result.rounds, &result.media_lines, &result.media_line_writes,
                        &result.value_bytes, &result.log_bytes, &result.synchronised_bytes}) {
    *field /= by;
  }
  return result;
}

std::uint64_t lines_touched(std::uintptr_t address, std::uint64_t bytes, std::uint64_t line_bytes) {
  if (bytes == 0) return 0;
  return (address + bytes - 1) / line_bytes - address / line_bytes + 1;
}

StreamedCopy split_streamed(std::uintptr_t address, std::uint64_t bytes) {
  StreamedCopy result{0, 0};
  const std::uint64_t head = std::min((kCacheLineBytes - address % kCacheLineBytes) % kCacheLineBytes, bytes);
  if (head > 0) ++result.flushed_lines;
  const std::uint64_t rest = bytes - head;
  const std::uint64_t tail = rest % kCacheLineBytes;
  result.streamed_bytes = rest - tail;
  if (tail >= 4 && std::has_single_bit(tail)) {
    result.streamed_bytes += tail;
  } else if (tail > 0) {
    ++result.flushed_lines;
  }
  return result;
}

OperationCounts count(std::span<const PersistenceCall> calls, Range value) {
  OperationCounts result;
  std::set<std::uintptr_t> all_media, round_media;
  bool pending = false;
  const auto write = [&](std::uintptr_t address, std::uint64_t bytes) {
    if (bytes == 0) return;
    pending = true;
    for (std::uintptr_t line = address / kMediaLineBytes; line <= (address + bytes - 1) / kMediaLineBytes; ++line) {
      round_media.insert(line);
    }
  };
  const auto end_round = [&] {
    result.media_line_writes += static_cast<double>(round_media.size());
    all_media.merge(round_media);
    round_media.clear();
  };
  for (const PersistenceCall& call : calls) {
    const auto address = reinterpret_cast<std::uintptr_t>(call.address);
    const auto bytes = static_cast<double>(call.bytes);
    switch (call.kind) {
      case PersistenceCall::Kind::fence:
        ++result.fences;
        if (pending) ++result.rounds;
        pending = false;
        end_round();
        continue;
      case PersistenceCall::Kind::synchronise:
        result.synchronised_bytes += bytes;
        continue;
      case PersistenceCall::Kind::flush:
        ++result.flush_calls;
        result.flushed_lines += static_cast<double>(lines_touched(address, call.bytes, kCacheLineBytes));
        write(address, call.bytes);
        continue;
      case PersistenceCall::Kind::copy_streamed: {
        const StreamedCopy split = split_streamed(address, call.bytes);
        result.streamed_bytes += static_cast<double>(split.streamed_bytes);
        result.flushed_lines += static_cast<double>(split.flushed_lines);
        if (split.flushed_lines > 0) ++result.flush_calls;
        write(address, call.bytes);
        break;
      }
      case PersistenceCall::Kind::copy_flushed:
        ++result.flush_calls;
        result.flushed_lines += static_cast<double>(lines_touched(address, call.bytes, kCacheLineBytes));
        write(address, call.bytes);
        break;
      case PersistenceCall::Kind::copy_unflushed:
        break;
    }
    result.copied_bytes += bytes;
    (value.holds(address) ? result.value_bytes : result.log_bytes) += bytes;
  }
  end_round();
  result.media_lines = static_cast<double>(all_media.size());
  return result;
}

}  // namespace pmtwin::probe
