// Folders that one process holds locked (flock): the lock ends with the process, however that ends, and in whatever
// container it runs.
#pragma once

#include <string>

namespace pmtwin {

// Locks a folder; -1 if another process holds it (EWOULDBLOCK), or why it cannot be (errno).
int try_lock_folder(const std::string& folder);

// Not by closing alone: a child that was forked meanwhile shares the lock.
void unlock_folder(int lock);

// Makes a folder with a name that begins with `prefix`, and locks it. Returns the lock; -1 and errno if it cannot be
// made or locked. Another process may take it for a leftover before it is locked: then another is made.
int make_locked_folder(const std::string& prefix, std::string& folder);

}  // namespace pmtwin
