#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "base/files/files.hpp"
#include "base/files/folder.hpp"
#include "base/files/paths.hpp"
#include "base/files/temporary.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_at(const fs::path& path, const std::error_code& error) {
  throw InputError(path.string(), fmt::format("cannot write: {}", error.message()));
}

/// Throws if an operation on this path failed.
void require(const std::error_code& error, const fs::path& path) {
  if (error) fail_at(path, error);
}

/// Folders that are gone again with all that they hold, unless they are kept.
class NewFolders {
 public:
  /// Makes a folder and those that it is in. An error names the path that a user gave.
  NewFolders(const fs::path& folder, const fs::path& named) {
    std::error_code error;
    fs::path missing = folder;
    while (!missing.empty() && !fs::exists(missing, error)) {
      first_ = missing;
      missing = missing.parent_path();
    }
    fs::create_directories(folder, error);
    if (error) remove();
    require(error, named);
  }
  NewFolders(const NewFolders&) = delete;
  NewFolders& operator=(const NewFolders&) = delete;
  ~NewFolders() { remove(); }

  void keep() { first_.clear(); }

 private:
  void remove() {
    std::error_code ignored;
    if (!first_.empty()) fs::remove_all(first_, ignored);
  }

  fs::path first_;  ///< the outermost one; empty if nothing was made
};

/// Puts files in the place of others, which come back unless all of it succeeds. All earlier files
/// are gone before the first new one is there: a power cut leaves too few files, which no compiler
/// takes, and never old ones beside new ones.
class Replacement {
 public:
  /// `aside` is a folder for what is replaced.
  Replacement(fs::path folder, fs::path aside)
      : folder_(std::move(folder)), aside_(std::move(aside)) {}
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  ~Replacement() {
    std::error_code ignored;
    for (const std::string& name : placed_) fs::remove(folder_ / name, ignored);
    for (const std::string& name : replaced_) fs::rename(aside_ / name, folder_ / name, ignored);
    for (const fs::path& each : made_) fs::remove(each, ignored);
  }

  void set_aside(const std::string& name) {
    const fs::path target = folder_ / name;
    std::error_code error;
    if (fs::create_directory(target.parent_path(), error)) made_.push_back(target.parent_path());
    require(error, target);
    fs::create_directories((aside_ / name).parent_path(), error);
    require(error, target);
    if (fs::is_directory(target, error)) {
      throw InputError(target.string(), "cannot write: it is a directory; expected a file");
    }
    if (!fs::exists(fs::symlink_status(target, error))) return;
    fs::rename(target, aside_ / name, error);
    require(error, target);
    replaced_.push_back(name);
  }

  /// `from` has the file of this name.
  void place(const fs::path& from, const std::string& name) {
    std::error_code error;
    fs::rename(from / name, folder_ / name, error);
    require(error, folder_ / name);
    placed_.push_back(name);
  }

  void keep() {
    placed_.clear();
    replaced_.clear();
    made_.clear();
  }

 private:
  fs::path folder_, aside_;
  std::vector<std::string> placed_, replaced_;
  std::vector<fs::path> made_;  ///< folders
};

/// Writes files into `folder`, from where they will go to `target`, which errors name.
void write_all(const fs::path& folder, const fs::path& target, std::span<const FolderFile> files) {
  for (const FolderFile& file : files) {
    const std::string path = (folder / file.name).string();
    std::error_code error;
    fs::create_directory(fs::path(path).parent_path(), error);
    require(error, target / file.name);
    try {
      write_file(path, file.text);
    } catch (const InputError& refused) {
      const std::string_view what = refused.what();
      if (!what.starts_with(path)) throw;
      throw InputError((target / file.name).string() + std::string(what.substr(path.size())));
    }
  }
}

/// A path without a slash at its end, so that it has a name.
fs::path named(const std::string& folder) {
  const fs::path path = fs::path(folder).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

}  // namespace

std::optional<std::string> other_name(const std::string& folder,
                                      std::span<const FolderFile> files) {
  std::error_code error;
  if (!fs::exists(folder, error)) return std::nullopt;
  std::vector<std::string> names;
  const auto is_known = [&](const auto& is) { return std::any_of(files.begin(), files.end(), is); };
  fs::recursive_directory_iterator entry(folder, error);
  if (error) throw InputError(folder, fmt::format("cannot read: {}", error.message()));
  while (entry != fs::recursive_directory_iterator()) {
    const std::string name = entry->path().lexically_relative(folder).generic_string();
    // A folder of these files is looked into, another one is a name like others.
    const bool is_ours =
        is_known([&](const FolderFile& file) { return file.name.starts_with(name + "/"); });
    if (!is_ours) entry.disable_recursion_pending();
    // What has a temporary name is being written by another process.
    if (!is_ours && !is_temporary_name(name) &&
        !is_known([&](const FolderFile& file) { return file.name == name; }))
      names.push_back(name);
    entry.increment(error);
    if (error) throw InputError(folder, fmt::format("cannot read: {}", error.message()));
  }
  if (names.empty()) return std::nullopt;
  return *std::min_element(names.begin(), names.end());
}

void write_folder(const std::string& folder, std::span<const FolderFile> files) {
  const SignalsWait signals;
  const fs::path target = named(followed(folder));
  const fs::path around = target.has_parent_path() ? target.parent_path() : fs::path(".");
  std::error_code error;
  const bool is_new = !fs::exists(target, error);
  NewFolders parents(around, target);
  const fs::path unfinished = (is_new ? around : target) / temporary_name();
  NewFolders written(unfinished, target);
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(unfinished.c_str()), ::closedir);
  if (open) mark_as_written(::dirfd(open.get()));
  write_all(unfinished, target, files);
  if (is_new) {
    fs::rename(unfinished, target, error);
    require(error, target);
    written.keep();
  } else {
    Replacement replacement(target, unfinished / "aside");
    for (const FolderFile& file : files) replacement.set_aside(file.name);
    for (const FolderFile& file : files) replacement.place(unfinished, file.name);
    replacement.keep();
  }
  parents.keep();
}

}  // namespace poet
