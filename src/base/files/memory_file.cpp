#include "base/files/memory_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

#include <fmt/format.h>

#include "base/files/files.hpp"
#include "poet/error.hpp"

namespace poet {

MemoryFile::MemoryFile() : file_(memfd_create("poet-numbers", MFD_CLOEXEC)) {
  if (file_ >= 0) return;
  throw InputError(fmt::format("memory for numbers: {}", std::strerror(errno)));
}

MemoryFile::~MemoryFile() {
  ::close(file_);
}

void MemoryFile::append(std::string_view bytes) const {
  if (!write_fully(file_, bytes)) throw std::bad_alloc();
}

bool MemoryFile::read_next(char* to, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t count = pread(file_, to + done, bytes - done, static_cast<off_t>(at_));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
    at_ += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace poet
