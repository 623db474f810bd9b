// Who made a scratch folder: its mark, a file `owner` in the folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pmtwin {

struct ScratchOwner {
  int process = 0;
  std::string started;  // in ticks since the machine's start: tells a process from a later one of the same number
  std::string boot;     // of the kernel
  std::string host;
  std::string command;  // as it was typed, about
};

ScratchOwner this_process();

std::string mark_of(const ScratchOwner& owner);

// Nothing for a text that is no such mark.
std::optional<ScratchOwner> owner_of(std::string_view mark);

// Whether its process may live, as far as this machine can tell: one of another machine may.
bool may_live(const ScratchOwner& owner);

}  // namespace pmtwin
