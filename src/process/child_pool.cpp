#include "process/child_pool.hpp"

#include <poll.h>

#include <utility>

namespace poet {
namespace {

constexpr int kTickMilliseconds = 50;

}  // namespace

void ChildPool::start(int task, const ChildWork& work) {
  running_.push_back({.task = task, .child = std::make_unique<Child>(work)});
}

void ChildPool::wait(const std::function<void(int task, const Message&)>& on_message,
                     const std::function<void(int task, const ChildExit&)>& on_end) {
  std::vector<pollfd> waiting;
  for (const Running& running : running_) {
    waiting.push_back({.fd = running.child->descriptor(), .events = POLLIN, .revents = 0});
  }
  if (::poll(waiting.data(), waiting.size(), kTickMilliseconds) <= 0) return;
  std::vector<Running> ended;
  for (std::size_t r = 0; r < waiting.size(); ++r) {
    if (waiting[r].revents == 0) continue;
    Running& running = running_[r];
    running.child->receive([&](const Message& message) {
      on_message(running.task, message);
      return true;
    });
    if (running.child->closed()) ended.push_back(std::move(running));
  }
  std::erase_if(running_, [](const Running& running) { return running.child == nullptr; });
  for (const Running& running : ended) on_end(running.task, running.child->end(false));
}

}  // namespace poet
