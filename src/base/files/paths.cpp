// What paths lead to, before anything is written there: an hour of work must not end with a
// misspelt folder, or with a proof where the schedule was.

#include "base/files/paths.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "base/files/files.hpp"
#include "base/files/temporary.hpp"
#include "base/input_errors.hpp"
#include "base/sha256.hpp"
#include "base/text/printable.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxLinks = 40;  // as the kernel

[[noreturn]] void refuse_path(const std::string& path, const std::string& reason) {
  throw InputError(path, "cannot write: " + reason);
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

bool is_stdin(const UsedPath& path) {
  return path.use == PathUse::reads && path.path == "-";
}

/// Whether what is written goes to the file of another path, which may not exist yet.
bool is_taken(const UsedPath& path, const UsedPath& by) {
  if (path.path.empty() || by.path.empty() || is_special_file(path.path)) return false;
  return is_same_file(path.path, is_stdin(by) ? "/dev/stdin" : by.path);
}

}  // namespace

std::string followed(const std::string& path) {
  fs::path at = path;
  for (int links = 0; links < kMaxLinks; ++links) {
    std::error_code none;
    const fs::path next = fs::read_symlink(at, none);
    if (none || descriptor_of(at.string())) return at.string();
    at = at.parent_path() / next;
  }
  throw InputError(path, fmt::format("cannot follow: {}", std::strerror(ELOOP)));
}

std::optional<int> descriptor_of(const std::string& followed_path) {
  const fs::path path = followed_path;
  const std::string name = path.filename().string();
  std::error_code error;
  const bool is_number = !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number || !fs::equivalent(folder_of(path), kDescriptors, error)) return std::nullopt;
  return std::stoi(name);
}

std::string new_file_of(int fd) {
  std::error_code error;
  const fs::path link = fs::path(kDescriptors) / std::to_string(fd);
  const fs::path file = fs::read_symlink(link, error);
  const bool is_new = fs::is_regular_file(link, error) && fs::file_size(link, error) == 0;
  return is_new && fs::equivalent(link, file, error) ? file.string() : std::string();
}

bool is_special_file(const std::string& path) {
  if (descriptor_of(followed(path))) return true;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

void check_writable(const std::string& path) {
  const std::string target = followed(path);
  if (const auto fd = descriptor_of(target)) {
    const int flags = ::fcntl(*fd, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) refuse_path(path, std::strerror(EBADF));
    return;
  }
  std::error_code error;
  if (fs::is_directory(target, error)) refuse_path(path, "it is a directory; expected a file name");
  if (error == std::errc::filename_too_long) refuse_path(path, error.message());
  const std::string folder = folder_of(target).string();
  if (!fs::is_directory(folder, error)) {
    refuse_path(path, fmt::format("'{}' is not a directory", folder));
  }
  const std::string& changed = is_special_file(target) ? target : folder;
  if (::access(changed.c_str(), W_OK) != 0) refuse_path(path, std::strerror(errno));
  remove_leftovers(folder);
}

void check_folder_writable(const std::string& path) {
  // What is missing of the path will be created in the last folder that is there.
  std::error_code error;
  fs::path there = fs::absolute(followed(path), error);
  if (!fs::exists(there, error) && error) refuse_path(path, error.message());
  while (!fs::exists(there, error) && there.has_relative_path()) there = there.parent_path();
  if (!fs::is_directory(there, error)) {
    throw InputError(path, fmt::format("'{}' is not a directory; expected one", there.string()));
  }
  if (::access(there.c_str(), W_OK) != 0) {
    throw InputError(path,
                     fmt::format("cannot write in '{}': {}", there.string(), std::strerror(errno)));
  }
  remove_leftovers(there.string());
}

bool is_same_file(const std::string& path, const std::string& other) {
  std::error_code error;
  if (fs::equivalent(path, other, error)) return true;
  const auto resolved = [&error](const std::string& name) {
    return fs::weakly_canonical(fs::absolute(followed(name), error), error);
  };
  const fs::path place = resolved(path);
  return !place.empty() && place == resolved(other);
}

void check_apart(const std::vector<UsedPath>& paths) {
  const auto twice = std::find_if(paths.begin(), paths.end(), is_stdin);
  if (std::count_if(paths.begin(), paths.end(), is_stdin) > 1) {
    throw InputError(twice->option, "found - twice; stdin can be only one of the files");
  }
  for (auto path = paths.begin(); path != paths.end(); ++path) {
    for (auto other = paths.begin(); other != paths.end(); ++other) {
      // The error names what is written, and of two such files the later one.
      if (path->use != PathUse::writes || (other->use == PathUse::writes && other >= path))
        continue;
      if (!is_taken(*path, *other)) continue;
      throw InputError(path->option,
                       fmt::format("found {}, the same file as {}; expected another one",
                                   shown_source(path->path), other->option));
    }
  }
}

void check_paths(const std::vector<UsedPath>& paths) {
  for (const UsedPath& each : paths) {
    if (each.path.empty() || each.use == PathUse::reads) continue;
    with_place(each.option, [&] {
      each.use == PathUse::writes ? check_writable(each.path) : check_folder_writable(each.path);
    });
  }
  check_apart(paths);
}

std::string file_stem(std::string name) {
  constexpr std::size_t kMost = 200;  // most systems allow 255 bytes, and endings follow
  constexpr std::size_t kDigestDigits = 16;
  std::string digest;
  if (name.size() > kMost) {
    digest = "-" + sha256_hex(name).substr(0, kDigestDigits);
    std::size_t end = kMost - digest.size();
    while (end > 0 && continues_character(name[end])) --end;
    name.resize(end);
  }
  for (char& c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '/' || c == '\\' || byte < 0x20 || byte == 0x7F) c = '_';
  }
  if (name.starts_with('.')) name.front() = '_';
  return name + digest;
}

}  // namespace poet
