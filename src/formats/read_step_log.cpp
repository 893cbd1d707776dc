// Logs of steps, a JSON document a line: whoever traces a framework can write a line as soon as it
// happens, and needs no library for it. Values are checked here; what lines mean together is
// src/model's.

#include "formats/read_step_log.hpp"

#include <vector>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "formats/json/json_cursor.hpp"
#include "formats/model_values.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

constexpr std::string_view kStepLogFormat = "poet-step-log";
constexpr double kMaxSeconds = 1e30;

std::vector<std::int64_t> numbers(const JsonCursor& at, const char* key) {
  std::vector<std::int64_t> list;
  if (const auto member = at.optional(key)) {
    for (const JsonCursor& each : member->elements(kMaxNodes)) list.push_back(each.integer());
  }
  return list;
}

std::string text_or(const JsonCursor& at, const char* key) {
  const auto member = at.optional(key);
  if (!member) return {};
  const std::string text = member->string();
  return text.empty() ? text : read_name(*member);
}

bool flag(const JsonCursor& at, const char* key) {
  const auto member = at.optional(key);
  return member && member->boolean();
}

LoggedMemory read_memory(const JsonCursor& at) {
  at.allow_only({"event", "id", "bytes", "kind", "name"});
  LoggedMemory memory{.id = at.required("id").integer(), .bytes = at.required("bytes").integer()};
  const JsonCursor kind = at.required("kind");
  const auto value = value_of<LoggedMemory::Kind>(kind.string());
  if (!value) kind.fail_expecting("input, parameter or other");
  memory.kind = *value;
  memory.name = text_or(at, "name");
  return memory;
}

LoggedOp read_op(const JsonCursor& at) {
  at.allow_only({"event", "op", "name", "seconds", "energy_joules", "backward", "random", "reads",
                 "writes", "statistics", "makes", "workspace_bytes"});
  LoggedOp op{.op = read_name(at.required("op")),
              .name = text_or(at, "name"),
              .seconds = at.required("seconds").number(0, kMaxSeconds)};
  if (const auto energy = at.optional("energy_joules")) {
    op.energy_joules = energy->number(0, kMaxSeconds);
  }
  op.backward = flag(at, "backward");
  op.random = flag(at, "random");
  op.reads = numbers(at, "reads");
  op.writes = numbers(at, "writes");
  op.statistics = numbers(at, "statistics");
  if (const auto makes = at.optional("makes")) {
    for (const JsonCursor& each : makes->elements(kMaxNodes)) {
      each.allow_only({"id", "bytes"});
      op.makes.push_back(
          {.id = each.required("id").integer(), .bytes = each.required("bytes").integer()});
    }
  }
  if (const auto bytes = at.optional("workspace_bytes")) op.workspace_bytes = bytes->integer();
  return op;
}

LoggedEvent read_event(const JsonCursor& at) {
  LoggedEvent event{.place = at.place()};
  const JsonCursor kind = at.required("event");
  const std::string word = kind.string();
  if (word == "memory") {
    event.memory = read_memory(at);
  } else if (word == "op") {
    event.op = read_op(at);
  } else if (word == "release") {
    at.allow_only({"event", "id"});
    event.release = at.required("id").integer();
  } else {
    kind.fail_expecting("memory, op or release");
  }
  return event;
}

}  // namespace

StepLog parse_step_log(std::string_view text, const std::string& source) {
  StepLog log;
  bool has_head = false;
  for_each_json_line(text, source, [&](const JsonCursor& at) {
    if (has_head) {
      if (log.events.size() >= 10 * kMaxNodes) {
        at.fail(fmt::format("found more than {} lines", 10 * kMaxNodes));
      }
      log.events.push_back(read_event(at));
      return;
    }
    at.allow_only({"format", "version", "name", "step_seconds", "recorder"});
    expect_format(at, kStepLogFormat, 1);
    log.name = read_name(at.required("name"));
    if (const auto seconds = at.optional("step_seconds")) {
      log.step_seconds = seconds->number(0, kMaxSeconds);
    }
    has_head = true;
  });
  if (!has_head) {
    throw InputError(shown_source(source),
                     "found no lines; expected the format and its version in the first one");
  }
  return log;
}

}  // namespace poet
