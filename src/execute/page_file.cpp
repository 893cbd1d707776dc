// Secondary storage by pread and pwrite at the offsets of the program. With a mapping of memory, a
// file that is too short or a full disk would be a signal in the midst of a kernel instead of an
// error with the number of bytes. A system call may transfer less than it was asked for or be
// interrupted, so both ways are loops.
//
// A device keeps no list of the copies that are whole. Here there is one, so that reading what
// another copy was written over is an error with a place, and not a wrong gradient.

#include "execute/page_file.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

constexpr const char* kTemporary = "the temporary page file";

/// A file without a name: it is gone when this process ends, however that happens.
int open_temporary() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) {
    throw InputError(kTemporary,
                     fmt::format("the folder for temporary files cannot be used: {}; expected a "
                                 "folder in TMPDIR, or a file for --storage",
                                 error.message()));
  }
  std::string path = (folder / "poet-pages-XXXXXX").string();
  const int file = mkostemp(path.data(), O_CLOEXEC);
  if (file >= 0) unlink(path.c_str());
  return file;
}

}  // namespace

PageFile::PageFile(const std::string& path, bool sync)
    : name_(path.empty() ? kTemporary : printable(path)), sync_(sync) {
  constexpr int kReadableByOwner = 0600;
  file_ = path.empty()
              ? open_temporary()
              : ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, kReadableByOwner);
  if (file_ < 0) throw InputError(name_, fmt::format("cannot be opened: {}", std::strerror(errno)));
}

PageFile::~PageFile() {
  ::close(file_);
}

void PageFile::fail(const char* what, Bytes offset, Bytes bytes, const std::string& why) const {
  throw InputError(name_, fmt::format("{} {} bytes at offset {}: {}", what, bytes, offset, why));
}

void PageFile::write(Bytes offset, const std::byte* from, Bytes bytes) {
  for (Bytes done = 0; done < bytes;) {
    const ssize_t count =
        pwrite(file_, from + done, static_cast<std::size_t>(bytes - done), offset + done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail("page-out of", offset, bytes, std::strerror(count < 0 ? errno : ENOSPC));
    done += count;
  }
  if (sync_ && fdatasync(file_) != 0) fail("page-out of", offset, bytes, std::strerror(errno));
}

void PageFile::read(Bytes offset, std::byte* to, Bytes bytes) {
  for (Bytes done = 0; done < bytes;) {
    const ssize_t count =
        pread(file_, to + done, static_cast<std::size_t>(bytes - done), offset + done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("page-in of", offset, bytes, std::strerror(errno));
    if (count == 0) fail("page-in of", offset, bytes, "the file ends before");
    done += count;
  }
}

// Slots that are chosen here do not overlap and stay from step to step, so the file does not grow.
Bytes StoredCopies::write(int node, std::optional<Bytes> slot, Bytes bytes) {
  const Bytes from = slot ? *slot : chosen_.emplace(node, end_).first->second;
  const Bytes to = from + bytes;
  std::erase_if(copies_, [&](const Copy& copy) { return copy.from < to && from < copy.to; });
  copies_.push_back({.node = node, .from = from, .to = to});
  end_ = std::max(end_, to);
  return from;
}

std::optional<Bytes> StoredCopies::find(int node, std::optional<Bytes> slot) const {
  const auto found = std::find_if(copies_.begin(), copies_.end(), [&](const Copy& copy) {
    return copy.node == node && (!slot || copy.from == *slot);
  });
  if (found == copies_.end()) return std::nullopt;
  return found->from;
}

}  // namespace poet
