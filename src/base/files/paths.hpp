#pragma once

#include <optional>
#include <string>
#include <vector>

namespace poet {

/// Where a process has its open files.
inline constexpr const char* kDescriptors = "/proc/self/fd";

/// Where symbolic links lead; nothing needs to be there. Throws InputError with the path for links
/// that go round in a circle.
std::string followed(const std::string& path);

/// The number of an open file, if links such as /dev/stdout have led to one.
std::optional<int> descriptor_of(const std::string& followed_path);

/// The path of the file that a shell made for an open file, as by `> rows.jsonl`; empty if it is no
/// file, has text already, or has lost its name.
std::string new_file_of(int fd);

/// Whether something is there that is neither a file nor a folder: a device, a pipe or an open file.
bool is_special_file(const std::string& path);

/// What a command does with a path.
enum class PathUse { reads, writes, writes_folder };

/// A path, and the option or argument that names it.
struct UsedPath {
  std::string option;
  std::string path;
  PathUse use = PathUse::reads;
};

/// Throws InputError, naming the option, if what is written goes to the file of another path: one
/// that is read would be lost, and so would the first of two texts. Devices and pipes hold nothing,
/// so they may be there twice. Empty paths stand for none, and `-` for stdin, which can be read
/// once.
void check_apart(const std::vector<UsedPath>& paths);

/// The same, and likewise for what cannot be written.
void check_paths(const std::vector<UsedPath>& paths);

}  // namespace poet
