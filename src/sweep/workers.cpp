#include "sweep/workers.hpp"

#include <cstring>
#include <exception>
#include <map>

#include "poet/error.hpp"
#include "process/child_pool.hpp"

namespace poet {
namespace {

/// What a message is; its first byte.
enum class Kind : char { progress = 'p', answer = 'a', failure = 'f' };

Message encode(Kind kind, std::string_view text) {
  Message message(1 + text.size());
  message.front() = static_cast<std::byte>(kind);
  std::memcpy(message.data() + 1, text.data(), text.size());
  return message;
}

Kind kind_of(const Message& message) {
  return static_cast<Kind>(message.front());
}

std::string text_of(const Message& message) {
  return {reinterpret_cast<const char*>(message.data()) + 1, message.size() - 1};
}

/// The figures of a Progress; the phase follows them.
struct Head {
  Seconds elapsed_seconds = 0;
  std::int64_t nodes = 0;
  Joules incumbent_joules = 0;
  Joules bound_joules = 0;
};

Message encode(const Progress& progress) {
  const Head head{progress.elapsed_seconds, progress.nodes, progress.incumbent_joules,
                  progress.bound_joules};
  std::string text(sizeof head, '\0');
  std::memcpy(text.data(), &head, sizeof head);
  return encode(Kind::progress, text + progress.phase);
}

Progress decode_progress(const std::string& text) {
  Head head;
  std::memcpy(&head, text.data(), sizeof head);
  return {.phase = text.substr(sizeof head),
          .elapsed_seconds = head.elapsed_seconds,
          .nodes = head.nodes,
          .incumbent_joules = head.incumbent_joules,
          .bound_joules = head.bound_joules};
}

ChildWork child_work(const WorkerTasks& tasks, int task) {
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

/// The last word of each running task.
struct LastWord {
  Kind kind = Kind::failure;
  std::string text;
};

}  // namespace

void run_workers(int jobs, const WorkerTasks& tasks) {
  const auto stopping = [&] { return tasks.interrupted && tasks.interrupted(); };
  ChildPool pool(jobs);
  std::map<int, LastWord> words;
  const auto on_message = [&](int task, const Message& message) {
    if (kind_of(message) == Kind::progress) {
      if (tasks.progress) tasks.progress(task, decode_progress(text_of(message)));
    } else {
      words[task] = {.kind = kind_of(message), .text = text_of(message)};
    }
  };
  const auto on_end = [&](int task, const ChildExit& exit) {
    // A signal to the whole process group ends workers too: that is no crash of theirs.
    if (stopping()) return;
    const LastWord word = words[task];
    words.erase(task);
    if (word.kind == Kind::answer) {
      tasks.answered(task, word.text);
    } else {
      tasks.failed(task, !word.text.empty() ? word.text
                         : exit.clean       ? std::string("its process ended without an answer")
                                            : "its process was " + exit.message);
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
