#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

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

/// Which copies of tensors are in secondary storage, and where. A copy is gone once another one is
/// written over a part of it.
class StoredCopies {
 public:
  /// Forgets all copies, and keeps the slots that it chose.
  void clear() { copies_.clear(); }

  /// Returns where the copy of a node goes: to `slot`, or if the program states none, to a slot of
  /// the node's own behind all others.
  Bytes write(int node, std::optional<Bytes> slot, Bytes bytes);

  /// Returns where a whole copy of a node is: in `slot` if the program states one. Nothing if there
  /// is none.
  std::optional<Bytes> find(int node, std::optional<Bytes> slot) const;

 private:
  struct Copy {
    int node = 0;
    Bytes from = 0;
    Bytes to = 0;
  };

  std::vector<Copy> copies_;
  std::map<int, Bytes> chosen_;  ///< by node: the slot that no program states
  Bytes end_ = 0;                ///< of all slots
};

}  // namespace poet
