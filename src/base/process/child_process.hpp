#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/process/child.hpp"
#include "poet/units.hpp"

namespace poet {

/// How long a solver in a child may overrun its own time limit before the child is killed.
inline constexpr Seconds kGrace = 0.3;

/// Runs `work` in a child process and waits for it. `on_message` gets its messages in this process,
/// and `on_tick` is called at least every 50 ms. The child is killed if either returns false, if
/// `seconds` of wall clock have passed, or if `on_message` throws MalformedMessage. Never throws
/// for a child that fails: the exit has a message then, also if the system has no process or pipe
/// left, as the caller may know enough to go on without an answer.
ChildExit run_in_child(const ChildWork& work, const std::function<bool(const Message&)>& on_message,
                       const std::function<bool()>& on_tick, Seconds seconds,
                       ChildRole role = ChildRole::helper);

/// Children at work at the same time, each under the number of its task. The destructor kills those
/// that still run.
class ChildPool {
 public:
  explicit ChildPool(int most) : most_(most) {}

  bool full() const { return static_cast<int>(running_.size()) >= most_; }
  bool empty() const { return running_.empty(); }

  /// Starts a child; the pool must not be full.
  void start(int task, const ChildWork& work);

  /// Kills the child of a task if it still runs. Its end is not handed on.
  void stop(int task);

  /// Waits for news, 50 ms at most, and hands it on: messages in the order of sending, and each
  /// child's end after the last of its messages. A child whose message cannot be read, or for which
  /// `on_message` throws MalformedMessage, is killed, and its exit has the reason.
  void wait(const std::function<void(int task, const Message&)>& on_message,
            const std::function<void(int task, const ChildExit&)>& on_end);

 private:
  struct Running {
    int task = 0;
    std::unique_ptr<Child> child;
  };

  int most_;
  std::vector<Running> running_;
};

/// Limits the address space of this process, one of so many children that are forked to work at the
/// same time, so that together with their parent they take about so many bytes of memory: what all
/// share at this moment counts once, and each may take an equal part of the rest. An allocation
/// beyond it throws std::bad_alloc. All children together can still take an eighth of the bytes,
/// unless the parent is limited to less: no child has a higher limit than its parent. Does nothing
/// for 0 bytes, in a build with sanitizers (which reserve terabytes), and if the system does not
/// say what the process has.
void limit_child_memory(Bytes bytes, int children = 1);

}  // namespace poet
