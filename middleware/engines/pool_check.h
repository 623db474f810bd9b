// Check of a pool for damage, by the operations of its user.
#pragma once

#include <functional>
#include <string>

namespace pmtwin::middleware {

using Progress = std::function<void()>;

// Opens the pool, reads every record, and, if `with_changes`, finds each by its key, overwrites it with a longer and a
// shorter value, adds as many others and removes all. Nothing of it reaches the file: the pool is mapped copy-on-write.
//
// For pmtwin-pool-check: damage kills or hangs its process, and it changes how that opens pools from then on.
// Returns an empty text, or what pmemkv or the walk found wrong. Changes take up to the pool's size in memory.
std::string check_records(const std::string& path, bool with_changes, const Progress& progress);

}  // namespace pmtwin::middleware
