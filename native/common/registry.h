// Designs of one kind, by name, each of which registers itself in the file that it stands in.
#pragma once

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "native/common/errors.h"

namespace pmtwin {

// `Design` has a `name`. Nothing refers to a file that only registers something, so that a linker leaves it out of a
// static library: such a library is linked whole ($<LINK_LIBRARY:WHOLE_ARCHIVE,...>).
template <class Design>
class Registry {
 public:
  using Designs = std::map<std::string, Design, std::less<>>;

  // Of static storage in the design's file, which puts it in before main() begins.
  struct Entry {
    // Throws std::logic_error if the name is taken.
    explicit Entry(Design design) {
      const std::string name = design.name;
      if (!designs().emplace(name, std::move(design)).second) throw std::logic_error("two are called '" + name + "'");
    }
  };

  // In the order of their names.
  static const Designs& all() { return designs(); }

  // Throws InputError for `field` unless there is one of this name.
  static const Design& named(const std::string& field, std::string_view name) {
    const auto entry = designs().find(name);
    if (entry != designs().end()) return entry->second;
    std::string names;
    for (const auto& [known, design] : designs()) names += (names.empty() ? "" : ", ") + known;
    throw InputError(field, std::string(name), names);
  }

 private:
  static Designs& designs() {
    static Designs designs;
    return designs;
  }
};

}  // namespace pmtwin
