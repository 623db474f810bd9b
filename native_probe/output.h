// The file that a result is written to.
#pragma once

#include <string>

namespace pmtwin::probe {

class Output {
 public:
  // A file, or - for standard output. Throws InputError now, before anything is measured, if the file cannot be made or
  // replaced: only a regular file is ever replaced, never a device or a folder. Makes nothing that stays.
  explicit Output(const std::string& name);

  // Writes a new file beside the old one and renames it over it, so that there is never half a result.
  // Throws std::system_error; the old file is then as it was.
  void write(const std::string& text) const;

 private:
  std::string name_;  // without links; - for standard output
};

// Throws std::system_error if not all of it can be written.
void write_all(int fd, const std::string& text);

}  // namespace pmtwin::probe
