#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "process/child.hpp"

namespace poet {

/// Children at work at the same time, each under the number of its task. Those that still run when
/// the pool goes are killed.
class ChildPool {
 public:
  explicit ChildPool(int most) : most_(most) {}

  bool full() const { return static_cast<int>(running_.size()) >= most_; }
  bool empty() const { return running_.empty(); }

  /// Starts a child; the pool must not be full.
  void start(int task, const ChildWork& work);

  /// Waits for news, 50 ms at most, and hands it on: messages in the order of sending, and each
  /// child's end after the last of its messages.
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

}  // namespace poet
