#include "solver/milp/mip_solver.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "process/child_process.hpp"
#include "solver/milp/cbc.hpp"

namespace poet {
namespace {

/// How long CBC may overrun its own time limit before it is ended from outside.
constexpr Seconds kGrace = 0.3;

/// Fixed-size head of every message; the column values of a result and of dropped points follow it,
/// one point after the other.
struct Head {
  enum class Kind : std::uint8_t { progress, result };
  Kind kind = Kind::progress;
  MipResult::Status status = MipResult::Status::failed;
  bool has_values = false;
  bool doubtful = false;
  double bound = -kInfinity;
  std::int64_t nodes = 0;
};

std::vector<double> joined(const MipResult& result) {
  std::vector<double> values = result.values.value_or(std::vector<double>{});
  for (const std::vector<double>& point : result.dropped) {
    values.insert(values.end(), point.begin(), point.end());
  }
  return values;
}

/// The inverse of joined().
void split(std::span<const double> values, bool has_values, std::size_t columns,
           MipResult& result) {
  if (has_values) {
    result.values.emplace(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(columns));
    values = values.subspan(columns);
  }
  for (; !values.empty(); values = values.subspan(columns)) {
    const std::span<const double> point = values.first(columns);
    result.dropped.emplace_back(point.begin(), point.end());
  }
}

Message encode(const Head& head, const std::vector<double>& values) {
  Message message(sizeof head + values.size() * sizeof(double));
  std::memcpy(message.data(), &head, sizeof head);
  if (!values.empty()) {
    std::memcpy(message.data() + sizeof head, values.data(), values.size() * sizeof(double));
  }
  return message;
}

Head decode(const Message& message, std::vector<double>& values) {
  Head head;
  std::memcpy(&head, message.data(), sizeof head);
  values.resize((message.size() - sizeof head) / sizeof(double));
  if (!values.empty()) {
    std::memcpy(values.data(), message.data() + sizeof head, values.size() * sizeof(double));
  }
  return head;
}

/// CBC calls a model without rows or without columns "not valid"; neither needs it.
std::optional<MipResult> solve_trivially(const Milp& milp) {
  MipResult result{.status = MipResult::Status::finished, .bound = 0};
  if (milp.columns.empty()) {
    const bool holds = std::all_of(milp.rows.begin(), milp.rows.end(), [](const MilpRow& row) {
      return row.lower <= 0 && row.upper >= 0;
    });
    if (holds) result.values.emplace();
    return result;
  }
  if (!milp.rows.empty()) return std::nullopt;
  result.values.emplace();
  for (const MilpColumn& column : milp.columns) {
    result.values->push_back(column.cost >= 0 ? column.lower : column.upper);
    result.bound += column.cost * result.values->back();
  }
  return result;
}

}  // namespace

MipResult solve_mip(const Milp& milp, const MipOptions& options,
                    const std::function<bool(const MipProgress&)>& progress) {
  if (auto result = solve_trivially(milp)) return *result;
  MipResult result{.status = MipResult::Status::stopped};
  MipProgress latest;
  bool answered = false;
  const auto work = [&](const std::function<void(const Message&)>& send) {
    const auto report = [&](const MipProgress& now) {
      send(encode({.kind = Head::Kind::progress, .bound = now.bound, .nodes = now.nodes}, {}));
    };
    const MipResult found = run_cbc(milp, options, report);
    send(encode({.kind = Head::Kind::result,
                 .status = found.status,
                 .has_values = found.values.has_value(),
                 .doubtful = found.doubtful,
                 .bound = found.bound,
                 .nodes = found.nodes},
                joined(found)));
  };
  const auto receive = [&](const Message& message) {
    std::vector<double> values;
    const Head head = decode(message, values);
    if (head.kind == Head::Kind::progress) {
      latest.nodes = std::max(latest.nodes, head.nodes);
      if (head.bound < std::min(options.cutoff, 1e30)) {
        latest.bound = std::max(latest.bound, head.bound);
      }
      return progress(latest);
    }
    answered = true;
    result.status = head.status;
    result.bound = head.bound;
    result.nodes = head.nodes;
    result.doubtful = head.doubtful;
    split(values, head.has_values, milp.columns.size(), result);
    return true;
  };
  const ChildExit exit = run_in_child(
      work, receive, [&] { return progress(latest); }, options.time_limit_seconds + kGrace);
  if (answered) return result;
  result.bound = latest.bound;
  result.nodes = latest.nodes;
  if (!exit.killed) {
    result.status = MipResult::Status::failed;
    result.message = "CBC " + (exit.clean ? std::string("gave no answer") : exit.message);
  }
  return result;
}

}  // namespace poet
