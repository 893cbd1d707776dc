#include "process/child_process.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>

#include <fmt/format.h>

#include "poet/error.hpp"

namespace poet {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTickMilliseconds = 50;

/// Pumps messages until the child closes its end; false when the caller or the clock says stop.
bool pump(Child& child, const std::function<bool(const Message&)>& on_message,
          const std::function<bool()>& on_tick, Clock::time_point deadline) {
  while (!child.closed()) {
    if (!on_tick() || Clock::now() >= deadline) return false;
    pollfd waiting{.fd = child.descriptor(), .events = POLLIN, .revents = 0};
    const int ready = ::poll(&waiting, 1, kTickMilliseconds);
    if (ready < 0 && errno != EINTR) return false;
    if (ready > 0 && !child.receive(on_message)) return false;
  }
  return true;
}

Clock::time_point deadline_after(Seconds seconds) {
  constexpr Seconds kYear = 365.0 * 24 * 3600;
  const auto capped = std::chrono::duration<double>(std::min(seconds, kYear));
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(capped);
}

}  // namespace

ChildExit run_in_child(const ChildWork& work, const std::function<bool(const Message&)>& on_message,
                       const std::function<bool()>& on_tick, Seconds seconds) {
  const Clock::time_point deadline = deadline_after(seconds);
  std::optional<Child> child;
  try {
    child.emplace(work);
  } catch (const InternalError& error) {
    return {.message = fmt::format("could not be started: {}", error.what())};
  }
  return child->end(!pump(*child, on_message, on_tick, deadline));
}

}  // namespace poet
