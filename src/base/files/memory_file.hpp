#pragma once

#include <cstddef>
#include <string_view>

namespace poet {

/// Memory that a child process writes and its parent reads: a file without a name. Messages are for
/// figures; this is for what is large.
class MemoryFile {
 public:
  /// Throws InputError with the reason if it cannot be made.
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  /// Throws std::bad_alloc without room.
  void append(std::string_view bytes) const;

  /// Reads the next bytes, from the first on. False if there are not as many.
  bool read_next(char* to, std::size_t bytes);

 private:
  int file_;
  std::size_t at_ = 0;
};

}  // namespace poet
