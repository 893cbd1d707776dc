#include "app/progress.hpp"

#include <spdlog/spdlog.h>

#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "app/log.hpp"

namespace poet::cli {
namespace {

// A terminal shows one line that changes. A pipe or a log keeps every line, so it gets news
// (another phase, a better schedule) at once and the rest rarely.
constexpr Seconds kTerminalInterval = 0.1;
constexpr Seconds kPipeInterval = 5;

std::string figure_of(const Progress& progress, double figure) {
  return progress.objective == Objective::runtime ? format_seconds(figure) : format_joules(figure);
}

std::string describe(const Progress& progress) {
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

}  // namespace

ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), terminal_(stderr_is_terminal()) {}

ProgressLine::~ProgressLine() {
  clear();
}

void ProgressLine::show(const Progress& progress) {
  if (quiet_) return;
  const bool news = progress.phase != last_phase_ || progress.incumbent_joules != last_incumbent_;
  const Seconds interval = terminal_ ? kTerminalInterval : kPipeInterval;
  if (!news && progress.elapsed_seconds - last_shown_ < interval) return;
  last_shown_ = progress.elapsed_seconds;
  last_phase_ = progress.phase;
  last_incumbent_ = progress.incumbent_joules;
  if (terminal_) {
    std::fprintf(stderr, "\r\033[K%s", describe(progress).c_str());
    std::fflush(stderr);
    dirty_ = true;
  } else {
    spdlog::info("{}", describe(progress));
  }
}

void ProgressLine::clear() {
  if (!dirty_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  dirty_ = false;
}

}  // namespace poet::cli
