#include "sweep/child_tasks.hpp"

#include <cstring>
#include <exception>
#include <map>

#include "base/process/child_process.hpp"
#include "base/process/packer.hpp"
#include "poet/error.hpp"
#include "sweep/fields.hpp"

namespace poet {
namespace {

/// What a message is; its first byte.
enum class Kind : char { progress = 'p', answer = 'a', failure = 'f' };

Message encode(Kind kind, const void* bytes, std::size_t size) {
  Message message(1 + size);
  message.front() = static_cast<std::byte>(kind);
  if (size > 0) std::memcpy(message.data() + 1, bytes, size);
  return message;
}

Message encode(Kind kind, const std::string& text) {
  return encode(kind, text.data(), text.size());
}

Message encode(const Progress& progress) {
  const Message message = packed(progress);
  return encode(Kind::progress, message.data(), message.size());
}

Kind kind_of(const Message& message) {
  if (message.empty()) throw MalformedMessage("it is empty");
  const Kind kind = static_cast<Kind>(message.front());
  if (kind != Kind::progress && kind != Kind::answer && kind != Kind::failure) {
    throw MalformedMessage("an unknown kind");
  }
  return kind;
}

std::string text_of(const Message& message) {
  return {reinterpret_cast<const char*>(message.data()) + 1, message.size() - 1};
}

ChildWork child_work(const ChildTasks& tasks, int task) {
  return [&tasks, task](const std::function<void(const Message&)>& send) {
    try {
      const std::string answer =
          tasks.work(task, [&](const Progress& progress) { send(encode(progress)); });
      send(encode(Kind::answer, answer));
    } catch (const std::exception& error) {
      send(encode(Kind::failure, error.what()));
    }
  };
}

/// What has come from a running task.
struct Received {
  ResultOnce order;
  Kind kind = Kind::failure;
  std::string text;  ///< of its answer or failure
};

}  // namespace

void run_child_tasks(int jobs, const ChildTasks& tasks) {
  const auto stopping = [&] { return tasks.interrupted && tasks.interrupted(); };
  ChildPool pool(jobs);
  std::map<int, Received> received;
  const auto on_message = [&](int task, const Message& message) {
    const Kind kind = kind_of(message);
    Received& from = received[task];
    from.order.take(kind != Kind::progress);
    if (kind == Kind::progress) {
      const Progress progress = unpacked<Progress>({message.begin() + 1, message.end()});
      if (tasks.progress) tasks.progress(task, progress);
    } else {
      from.kind = kind;
      from.text = text_of(message);
    }
  };
  const auto on_end = [&](int task, const ChildExit& exit) {
    const Received from = std::move(received[task]);
    received.erase(task);
    // A signal to the whole process group ends workers too: that is no crash of theirs.
    if (stopping()) return;
    if (!exit.clean) {
      tasks.failed(task, "its process was " + exit.message);
    } else if (!from.order.received()) {
      tasks.failed(task, "its process ended without an answer");
    } else if (from.kind == Kind::failure) {
      tasks.failed(task, from.text);
    } else {
      tasks.answered(task, from.text);
    }
  };
  while (!stopping()) {
    while (!pool.full()) {
      const std::optional<int> task = tasks.next();
      if (!task) break;
      try {
        pool.start(*task, child_work(tasks, *task));
      } catch (const InternalError& error) {
        // The system has no process left now; it may have one for the next point.
        tasks.failed(*task, error.what());
      }
    }
    if (pool.empty()) return;
    pool.wait(on_message, on_end);
  }
}

}  // namespace poet
