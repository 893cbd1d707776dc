#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace poet {

/// A file that only grows, line by line, so that what was finished survives a crash. One process at
/// a time may have it. All functions throw InputError with the path and the reason.
class Journal {
 public:
  /// Creates a file with its first line. The file must not exist yet.
  static Journal create(const std::string& path, std::string_view first_line);
  /// Opens an earlier file. A last line without an end was torn by a crash, and is cut off.
  static Journal reopen(const std::string& path);

  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&&) = delete;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();

  const std::string& path() const { return path_; }
  /// The lines that were there when it was opened, without their ends.
  const std::vector<std::string>& lines() const { return lines_; }
  /// Adds a line; it is on the disk when this returns.
  void append(std::string_view line);
  /// Gives the file another name in its folder, in place of a file that has that name.
  void rename(const std::string& path);

 private:
  explicit Journal(std::string path) : path_(std::move(path)) {}
  void open(int flags);
  void lock() const;
  void read_lines();
  [[noreturn]] void fail(const char* action) const;

  std::string path_;
  int fd_ = -1;
  std::vector<std::string> lines_;
};

}  // namespace poet
