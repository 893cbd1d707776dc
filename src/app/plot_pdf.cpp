#include "app/plot_pdf.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "base/process/run_filter.hpp"
#include "poet/error.hpp"

namespace poet::cli {
namespace {

constexpr const char* kFormatOption = "--format";

/// Many times what the largest built-in model takes.
constexpr Seconds kMaxSeconds = 60;

/// A file for another program to read, in the system's folder for such files; gone with this
/// object.
class PassedFile {
 public:
  explicit PassedFile(std::string_view text) {
    std::error_code error;
    path_ = (std::filesystem::temp_directory_path(error) / "poet-solve-XXXXXX").string();
    const int fd = error ? -1 : ::mkstemp(path_.data());
    if (fd < 0) fail(error ? error.message() : std::strerror(errno));
    while (!text.empty()) {
      const ssize_t count = ::write(fd, text.data(), text.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) {
        const std::string reason = std::strerror(errno);
        ::close(fd);
        ::unlink(path_.c_str());
        fail(reason);
      }
      text.remove_prefix(static_cast<std::size_t>(count));
    }
    ::close(fd);
  }
  PassedFile(const PassedFile&) = delete;
  PassedFile& operator=(const PassedFile&) = delete;
  ~PassedFile() { ::unlink(path_.c_str()); }

  const std::string& path() const { return path_; }

 private:
  [[noreturn]] static void fail(const std::string& reason) {
    throw InputError(kFormatOption, fmt::format("cannot write a temporary file: {}", reason));
  }

  std::string path_;
};

}  // namespace

std::string to_pdf(const std::string& svg) {
  const PassedFile file(svg);
  FilterRun run = run_filter("rsvg-convert", {"--format", "pdf"}, file.path(), kMaxSeconds);
  switch (run.end) {
    case FilterRun::End::fine:
      return std::move(run.out);
    case FilterRun::End::missing:
      throw InputError(kFormatOption,
                       "pdf needs 'rsvg-convert', which is missing (Debian: "
                       "librsvg2-bin); svg needs nothing");
    case FilterRun::End::too_slow:
      throw InputError(kFormatOption,
                       fmt::format("'rsvg-convert' took longer than {} s", kMaxSeconds));
    case FilterRun::End::failed:
      break;
  }
  throw InputError(kFormatOption, fmt::format("'rsvg-convert' {}", run.message));
}

void check_pdf_destination(const std::string& output) {
  if (!output.empty() || ::isatty(STDOUT_FILENO) == 0) return;
  throw InputError(kFormatOption,
                   "found pdf for a terminal; expected --output FILE, or stdout in a file "
                   "or pipe");
}

}  // namespace poet::cli
