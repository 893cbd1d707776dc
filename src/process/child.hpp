#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace poet {

using Message = std::vector<std::byte>;

/// What a child does; it sends messages through the function that it is given.
using ChildWork = std::function<void(const std::function<void(const Message&)>& send)>;

/// How a child process ended.
struct ChildExit {
  bool clean = false;   ///< it ran to its end
  bool killed = false;  ///< we ended it
  std::string message;  ///< for people, when neither: "killed by signal 11 (Segmentation fault)"
};

/// Cuts the byte stream of a pipe into messages.
class MessageReader {
 public:
  void append(std::span<const std::byte> bytes) {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
  /// Whether a whole message was there.
  bool next(Message& message);

 private:
  bool compact();

  std::vector<std::byte> buffer_;
  std::size_t at_ = 0;
};

/// A forked copy of this process at work. Its stdout is closed to the outside, and it ignores
/// Ctrl-C and the end of the terminal: the parent decides. It dies with its parent, and before it
/// where the machine runs out of memory. Throws InternalError where the system has
/// no pipe or process left.
class Child {
 public:
  explicit Child(const ChildWork& work);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  /// Kills it if it still runs.
  ~Child();

  /// Becomes readable when messages arrive and when the child ends: for poll().
  int descriptor() const { return fd_; }
  /// Takes in what has arrived; waits where nothing has. False as soon as `on_message` says so.
  bool receive(const std::function<bool(const Message&)>& on_message);
  /// Whether the child has closed its end: it has nothing more to say.
  bool closed() const { return closed_; }
  /// Waits for its end, or ends it by force. To be called once.
  ChildExit end(bool by_force);

 private:
  pid_t pid_ = -1;
  int fd_ = -1;
  bool closed_ = false;
  MessageReader reader_;
};

}  // namespace poet
