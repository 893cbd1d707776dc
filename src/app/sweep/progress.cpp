#include "app/sweep/progress.hpp"

#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "app/log.hpp"

namespace poet::cli {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(100);
constexpr int kBarWidth = 20;

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string bar(int done, int total) {
  const int filled = total > 0 ? kBarWidth * done / total : kBarWidth;
  return fmt::format("[{}{}]", std::string(filled, '#'), std::string(kBarWidth - filled, '-'));
}

}  // namespace

SweepProgress::SweepProgress(bool quiet, int total, int done)
    : quiet_(quiet),
      terminal_(stderr_is_terminal()),
      total_(total),
      done_(done),
      done_before_(done) {}

SweepProgress::~SweepProgress() {
  clear();
}

void SweepProgress::started(const std::string& name) {
  if (terminal_) {
    draw(name);
  } else {
    spdlog::debug("{}: begins", name);
  }
}

void SweepProgress::progress(const std::string& name, const Progress& progress) {
  if (!terminal_ || Clock::now() - drawn_ < kInterval) return;
  std::string text = fmt::format("{}: {}", name, progress.phase);
  if (std::isfinite(progress.incumbent_joules)) {
    text += fmt::format(", best {}, gap {:.4f} %", format_joules(progress.incumbent_joules),
                        100 * relative_gap(progress.incumbent_joules, progress.bound_joules));
  }
  draw(text);
}

void SweepProgress::finished(const std::string& name, const std::string& result) {
  ++done_;
  if (terminal_) {
    draw(fmt::format("{}: {}", name, result));
  } else if (!quiet_) {
    spdlog::info("{}/{} {}: {}", done_, total_, name, result);
  }
}

void SweepProgress::clear() {
  if (!dirty_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  dirty_ = false;
}

void SweepProgress::draw(const std::string& tail) {
  if (quiet_ || !terminal_) return;
  drawn_ = Clock::now();
  std::string line =
      fmt::format("{} {}/{}{}  {}", bar(done_, total_), done_, total_, time_left(), tail);
  // A line that wraps could not be wiped.
  line.resize(std::min(line.size(), terminal_width() - 1));
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
  dirty_ = true;
}

std::string SweepProgress::time_left() const {
  const int done_here = done_ - done_before_;
  if (done_here == 0 || done_ == total_) return {};
  const Seconds spent = std::chrono::duration<double>(Clock::now() - start_).count();
  return fmt::format(", about {:.0f} s left", spent / done_here * (total_ - done_));
}

}  // namespace poet::cli
