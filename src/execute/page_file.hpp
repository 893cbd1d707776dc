#pragma once

#include <cstddef>
#include <string>

#include "poet/units.hpp"

namespace poet {

/// Secondary storage: a file, or the device of an SD card.
class PageFile {
 public:
  /// Creates or empties the file. An empty path stands for a temporary file, which nobody else
  /// sees. With `sync`, each write waits for the device. Throws InputError with the path and the
  /// reason.
  explicit PageFile(const std::string& path, bool sync = false);
  ~PageFile();
  PageFile(const PageFile&) = delete;
  PageFile& operator=(const PageFile&) = delete;

  /// Throw InputError with the path and the reason: no space, a file that has become shorter, not
  /// readable.
  void write(Bytes offset, const std::byte* from, Bytes bytes);
  void read(Bytes offset, std::byte* to, Bytes bytes);

 private:
  [[noreturn]] void fail(const char* what, Bytes offset, Bytes bytes, const std::string& why) const;

  std::string name_;
  bool sync_;
  int file_ = -1;
};

}  // namespace poet
