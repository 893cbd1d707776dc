#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace poet {

/// A file of a folder.
struct FolderFile {
  std::string name;  ///< without the folder; `a/b` is in a folder of it, at most one deep
  std::string text;
};

using FolderFiles = std::vector<FolderFile>;

/// The name of something else in the folder than these files, if there is any: the first by name. A
/// folder that does not exist has none. Throws InputError with the path and the reason for a folder
/// that cannot be read.
std::optional<std::string> other_name(const std::string& folder, std::span<const FolderFile> files);

/// Writes all files or none. A folder that does not exist is made, with the folders that it is in,
/// and appears with all its files at once. In a folder that exists, files of these names are
/// replaced one by one once all are written, earlier ones come back if one cannot be replaced, and
/// all other files there stay.
///
/// Throws InputError with the path and the reason.
void write_folder(const std::string& folder, std::span<const FolderFile> files);

}  // namespace poet
