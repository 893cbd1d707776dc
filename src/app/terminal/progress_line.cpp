// Progress: one line on a terminal, which is overwritten, and whole lines elsewhere. Nothing of
// lasting worth is only here: it is in the log or in the document too.

#include "app/terminal/progress_line.hpp"

#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include <fmt/format.h>

#include "app/terminal/log.hpp"

namespace poet::cli {
namespace {

// A terminal shows one line that changes. A pipe or a log keeps every line, so it gets better
// schedules once a second at most and the rest rarely. A phase that begins is shown at once.
constexpr Seconds kTerminalInterval = 0.1;
constexpr Seconds kPipeInterval = 5;
constexpr Seconds kPipeNewsInterval = 1;
constexpr int kBarWidth = 20;

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string figure_of(const Progress& progress, double figure) {
  return progress.objective == Objective::runtime ? format_seconds(figure) : format_joules(figure);
}

// Both gaps, as they tell different things: of the whole energy most is spent in any case, and the
// gap of the extra energy is what a better schedule could still save.
std::string progress_text(const Progress& progress) {
  std::string text = fmt::format("{:7.1f} s  {:<12}", progress.elapsed_seconds, progress.phase);
  if (std::isfinite(progress.incumbent_joules)) {
    text += fmt::format("  best {}", figure_of(progress, progress.incumbent_joules));
  } else {
    text += "  no schedule yet";
  }
  text += fmt::format("  bound {}", figure_of(progress, progress.bound_joules));
  if (std::isfinite(progress.incumbent_joules)) {
    text += fmt::format("  gap {:.4f} % ({:.2f} % of the extra)",
                        100 * relative_gap(progress.incumbent_joules, progress.bound_joules),
                        100 * relative_extra_gap(progress.incumbent_joules, progress.bound_joules,
                                                 progress.baseline_joules));
  }
  if (progress.nodes > 0) text += fmt::format("  nodes {}", progress.nodes);
  return text;
}

/// The same in the columns of a terminal: what matters most comes first, and what does not fit is
/// left out.
std::string short_text(const Progress& progress, std::size_t columns) {
  const double best = progress.incumbent_joules;
  std::vector<std::string> parts;
  if (std::isfinite(best)) {
    const double extra = relative_extra_gap(best, progress.bound_joules, progress.baseline_joules);
    parts = {fmt::format("gap {:.3g} %", 100 * relative_gap(best, progress.bound_joules)),
             fmt::format("extra {:.3g} %", 100 * extra),
             fmt::format("best {}", figure_of(progress, best)), progress.phase};
  } else {
    parts = {progress.phase, "no schedule yet"};
  }
  parts.push_back(fmt::format("bound {}", figure_of(progress, progress.bound_joules)));
  if (progress.nodes > 0) parts.push_back(fmt::format("nodes {}", progress.nodes));
  std::string text = fmt::format("{:.1f} s", progress.elapsed_seconds);
  for (const std::string& part : parts) {
    if (text.size() + 2 + part.size() > columns) break;
    text += "  " + part;
  }
  return text;
}

std::string bar(int done, int total) {
  const int filled = total > 0 ? kBarWidth * done / total : kBarWidth;
  return fmt::format("[{}{}]", std::string(filled, '#'), std::string(kBarWidth - filled, '-'));
}

}  // namespace

StatusLine::StatusLine(bool quiet) : quiet_(quiet), terminal_(stderr_is_terminal()) {}

void StatusLine::draw(std::string text) {
  if (quiet_ || !terminal_) return;
  // A line that wraps could not be wiped.
  text.resize(std::min(text.size(), terminal_width() - 1));
  std::fprintf(stderr, "\r\033[K%s", text.c_str());
  std::fflush(stderr);
  dirty_ = true;
}

void StatusLine::clear() {
  if (!dirty_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  dirty_ = false;
}

void ProgressLine::show(const Progress& progress) {
  if (line_.quiet()) return;
  outlook_.note(progress);
  const bool begins = progress.phase != last_phase_;
  const bool news = begins || progress.incumbent_joules != last_incumbent_;
  const Seconds since = progress.elapsed_seconds - last_shown_;
  const Seconds pause = line_.on_terminal() ? (news ? 0 : kTerminalInterval)
                                            : (news ? kPipeNewsInterval : kPipeInterval);
  if (!begins && since < pause) return;
  last_shown_ = progress.elapsed_seconds;
  last_phase_ = progress.phase;
  last_incumbent_ = progress.incumbent_joules;
  if (!line_.on_terminal()) spdlog::info("{}", progress_text(progress));
  if (begins || progress.elapsed_seconds - last_outlook_ >= kPipeInterval) {
    last_outlook_ = progress.elapsed_seconds;
    line_.clear();
    spdlog::debug("{}", outlook_.text());
  }
  line_.draw(short_text(progress, terminal_width() - 1));
}

void TaskLine::started(const std::string& name) {
  if (line_.on_terminal()) {
    draw(name);
  } else {
    spdlog::debug("{}: begins", name);
  }
}

void TaskLine::progress(const std::string& name, const Progress& progress) {
  const bool is_soon =
      std::chrono::duration<double>(Clock::now() - drawn_).count() < kTerminalInterval;
  if (!line_.on_terminal() || is_soon) return;
  std::string text = fmt::format("{}: {}", name, progress.phase);
  if (std::isfinite(progress.incumbent_joules)) {
    text += fmt::format(", best {}, gap {:.4f} %", format_joules(progress.incumbent_joules),
                        100 * relative_gap(progress.incumbent_joules, progress.bound_joules));
  }
  draw(text);
}

void TaskLine::finished(const std::string& name, const std::string& result) {
  ++done_;
  if (line_.on_terminal()) {
    draw(fmt::format("{}: {}", name, result));
  } else if (!line_.quiet()) {
    spdlog::info("{}/{} {}: {}", done_, total_, name, result);
  }
}

void TaskLine::draw(const std::string& tail) {
  drawn_ = Clock::now();
  line_.draw(fmt::format("{} {}/{}{}  {}", bar(done_, total_), done_, total_, time_left(), tail));
}

/// A mean over what this run has finished; tasks of an earlier run took no time here. Verdicts take
/// no time and hard points take long, so the estimate is rough.
std::string TaskLine::time_left() const {
  const int done_here = done_ - done_before_;
  if (done_here == 0 || done_ == total_) return {};
  const Seconds spent = std::chrono::duration<double>(Clock::now() - start_).count();
  return fmt::format(", about {:.0f} s left", spent / done_here * (total_ - done_));
}

}  // namespace poet::cli
