#include "app/terminal/outlook.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace poet::cli {
namespace {

/// By the name of the phase.
constexpr std::pair<std::string_view, std::string_view> kWaits[] = {
    {"glance", "models of a few moments: more of them while they raise the bound"},
    {"local search", "cheaper schedules: the bound rests until the search does"},
    {"relaxation",
     "the model without forward stages: rows while they raise the bound, then branching"},
    {"full model", "the exact model: rows while they raise the bound, then branching"},
    {"polishing", "a cheaper schedule near the optimum of the relaxation"},
    {"counts", "subproblems: each is divided until its bound reaches the best schedule"},
    {"proof", "a proof by moments: the worst leaf of its tree is the bound"}};

/// Of a phase, before its pace says anything.
constexpr Seconds kLeastSeconds = 2;
/// No proof comes if a phase would need so many times the seconds that are left. With a better
/// schedule it can be faster than its pace: `resnet18_cifar/m4` in 350000 bytes has needed four
/// times what was left, and was proven.
constexpr double kTooSlow = 10;

}  // namespace

void Outlook::note(const Progress& now) {
  now_ = now;
  if (now.phase == phase_) return;
  phase_ = now.phase;
  began_ = now.elapsed_seconds;
  bound_ = now.bound_joules;
}

/// How much the bound has to rise.
double Outlook::missing() const {
  return std::max(0.0, (1 - gap_) * now_.incumbent_joules - now_.bound_joules);
}

std::string Outlook::text() const {
  const auto* const found = std::find_if(std::begin(kWaits), std::end(kWaits),
                                         [&](const auto& wait) { return wait.first == phase_; });
  std::string text = "open: ";
  if (!std::isfinite(now_.incumbent_joules)) {
    text += "no schedule is known";
  } else {
    text += fmt::format("{:.3g} % of the energy",
                        100 * relative_gap(now_.incumbent_joules, now_.bound_joules));
    if (gap_ > 0) text += fmt::format(", {:.3g} % asked", 100 * gap_);
  }
  if (found != std::end(kWaits)) text += fmt::format("; waits for {}", found->second);
  return text + pace();
}

/// A bound rises ever more slowly, so that the estimate is rather too short.
std::string Outlook::pace() const {
  const Seconds spent = now_.elapsed_seconds - began_;
  if (!std::isfinite(now_.incumbent_joules) || spent < kLeastSeconds || missing() == 0) return {};
  const double gained = now_.bound_joules - bound_;
  if (gained <= 0) return fmt::format("; the bound has not risen for {:.0f} s", spent);
  const Seconds needed = missing() / gained * spent;
  std::string text = fmt::format("; {:.0f} s more at the pace of this phase", needed);
  const Seconds left = std::max(0.0, limit_ - now_.elapsed_seconds);
  if (limit_ > 0 && needed > left) text += fmt::format(", of which {:.0f} s are left", left);
  if (limit_ > 0 && needed > kTooSlow * left) text += ": expect no proof";
  return text;
}

}  // namespace poet::cli
