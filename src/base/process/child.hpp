#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace poet {

using Message = std::vector<std::byte>;

/// A message that cannot be read, or that comes out of order. Nothing that its sender reported may
/// be believed.
class MalformedMessage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a child does. It sends messages through the function that it is given, which any of its
/// threads may call: messages stay whole.
using ChildWork = std::function<void(const std::function<void(const Message&)>& send)>;

/// How a child process ended.
struct ChildExit {
  bool clean = false;      ///< it ran to its end
  bool killed = false;     ///< we ended it
  bool unstarted = false;  ///< the system had no process or pipe for it
  std::string message;     ///< if not clean or killed: "killed by signal 11 (Segmentation fault)"
};

/// What a child is to its parent.
enum class ChildRole {
  /// Does a part of the work. SIGTERM ends it, and if the machine runs out of memory, it goes
  /// first.
  helper,
  /// Does all of the work, while its parent only waits for it. It ignores SIGTERM too, as do its
  /// own children, and it goes after them if memory runs out. It comes about by _Fork(), which
  /// calls no handlers of libraries: one that never returns would hold the parent, and the parent
  /// must stay able to end its child. Not so in a process with threads, such as OpenBLAS starts:
  /// without the handlers a fork() of the child would wait for threads that it lacks.
  stand_in,
};

/// Cuts the byte stream of a pipe into messages.
class MessageReader {
 public:
  void append(std::span<const std::byte> bytes) {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
  /// Takes the next whole message; false if none has come yet. Throws MalformedMessage for one that
  /// is larger than any can be.
  bool next(Message& message);
  /// Whether a part of a message is left.
  bool holds_fragment() const { return at_ < buffer_.size(); }

 private:
  bool compact();

  std::vector<std::byte> buffer_;
  std::size_t at_ = 0;
};

/// A forked copy of this process at work. Its stdout is closed to the outside, and it ignores
/// Ctrl-C and the end of the terminal: the parent decides. It dies with its parent, and before it
/// if the machine runs out of memory. The constructor throws InternalError if the system has no
/// pipe or process left.
class Child {
 public:
  explicit Child(const ChildWork& work, ChildRole role = ChildRole::helper);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  /// Kills the child if it still runs.
  ~Child();

  /// Becomes readable when messages arrive and when the child ends: for poll().
  int descriptor() const { return fd_; }
  /// Takes in what has arrived; waits if nothing has. Returns false as soon as `on_message` does.
  /// Throws MalformedMessage for bytes that cannot be messages.
  bool receive(const std::function<bool(const Message&)>& on_message);
  /// Whether the child has closed its end and will send nothing more.
  bool closed() const { return closed_; }
  /// Waits until the child ends, or kills it. A child that ended in the middle of a message is not
  /// clean. Call it once.
  ChildExit end(bool by_force);

 private:
  pid_t pid_ = -1;
  int fd_ = -1;
  bool closed_ = false;
  MessageReader reader_;
};

}  // namespace poet
