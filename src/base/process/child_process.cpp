#include "base/process/child_process.hpp"

#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "poet/error.hpp"

namespace poet {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTickMilliseconds = 50;

/// Passes messages on until the child closes its end. Returns false if the caller or the clock
/// stops it before.
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
                       const std::function<bool()>& on_tick, Seconds seconds, ChildRole role) {
  const Clock::time_point deadline = deadline_after(seconds);
  std::optional<Child> child;
  try {
    child.emplace(work, role);
  } catch (const InternalError& error) {
    return {.unstarted = true, .message = fmt::format("could not be started: {}", error.what())};
  }
  try {
    return child->end(!pump(*child, on_message, on_tick, deadline));
  } catch (const MalformedMessage& error) {
    child->end(true);
    return {.message = fmt::format("sent what cannot be read: {}", error.what())};
  }
}

void ChildPool::start(int task, const ChildWork& work) {
  running_.push_back({.task = task, .child = std::make_unique<Child>(work)});
}

void ChildPool::stop(int task) {
  std::erase_if(running_, [task](const Running& running) { return running.task == task; });
}

void ChildPool::wait(const std::function<void(int task, const Message&)>& on_message,
                     const std::function<void(int task, const ChildExit&)>& on_end) {
  std::vector<pollfd> waiting;
  for (const Running& running : running_) {
    waiting.push_back({.fd = running.child->descriptor(), .events = POLLIN, .revents = 0});
  }
  if (::poll(waiting.data(), waiting.size(), kTickMilliseconds) <= 0) return;
  struct Ended {
    Running running;
    std::string malformed;  ///< why a message of the child could not be read
  };
  std::vector<Ended> ended;
  for (std::size_t r = 0; r < waiting.size(); ++r) {
    if (waiting[r].revents == 0) continue;
    Running& running = running_[r];
    try {
      running.child->receive([&](const Message& message) {
        on_message(running.task, message);
        return true;
      });
      if (running.child->closed()) ended.push_back({.running = std::move(running)});
    } catch (const MalformedMessage& error) {
      ended.push_back({.running = std::move(running), .malformed = error.what()});
    }
  }
  std::erase_if(running_, [](const Running& running) { return running.child == nullptr; });
  for (const Ended& end : ended) {
    const bool by_force = !end.malformed.empty();
    ChildExit exit = end.running.child->end(by_force);
    if (by_force) exit = {.message = "ended: it sent what cannot be read: " + end.malformed};
    on_end(end.running.task, exit);
  }
}

void limit_child_memory(Bytes bytes, int children) {
#ifdef POET_SANITIZE
  bytes = 0;
#endif
  if (bytes <= 0) return;
  std::FILE* const file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return;
  long reserved = 0;  // pages
  long resident = 0;
  const bool known = std::fscanf(file, "%ld %ld", &reserved, &resident) == 2;
  std::fclose(file);
  if (!known) return;
  const Bytes page = ::sysconf(_SC_PAGESIZE);
  const Bytes growth = std::max(bytes - resident * page, bytes / 8) / std::max(1, children);
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0) return;
  limit.rlim_cur = std::min(static_cast<rlim_t>(reserved * page + growth), limit.rlim_cur);
  ::setrlimit(RLIMIT_AS, &limit);
}

}  // namespace poet
