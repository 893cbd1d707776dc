#include "solver/milp/mip_solver.hpp"

#include <algorithm>

#include "base/process/child_process.hpp"
#include "base/process/packer.hpp"
#include "solver/clock.hpp"

namespace poet {
namespace {

enum class Kind { progress, result };

Message encode(const MipProgress& progress) {
  Packer packer;
  packer.put(Kind::progress);
  packer.put(progress.nodes);
  packer.put(progress.bound);
  return packer.message();
}

Message encode(const MipResult& result) {
  Packer packer;
  packer.put(Kind::result);
  packer.put(result.status);
  packer.put(result.bound);
  packer.put(result.nodes);
  packer.put(result.doubtful);
  packer.put(result.values.has_value());
  if (result.values) packer.put_all(*result.values);
  packer.put_size(result.dropped);
  for (const std::vector<double>& point : result.dropped) packer.put_all(point);
  return packer.message();
}

std::vector<double> decode_point(Unpacker& unpacker, std::size_t columns) {
  std::vector<double> point = unpacker.get_all<double>();
  if (point.size() != columns) throw MalformedMessage("a point does not have a value per column");
  return point;
}

MipProgress decode_progress(Unpacker& unpacker) {
  MipProgress progress;
  progress.nodes = unpacker.get_as<std::int64_t>();
  progress.bound = unpacker.get();
  unpacker.finish();
  return progress;
}

MipResult decode_result(Unpacker& unpacker, std::size_t columns) {
  MipResult result;
  result.status = unpacker.get_enum(MipResult::Status::failed);
  result.bound = unpacker.get();
  result.nodes = unpacker.get_as<std::int64_t>();
  result.doubtful = unpacker.get_as<bool>();
  if (unpacker.get_as<bool>()) result.values = decode_point(unpacker, columns);
  result.dropped.resize(unpacker.get_size());
  for (std::vector<double>& point : result.dropped) point = decode_point(unpacker, columns);
  unpacker.finish();
  return result;
}

/// CBC calls a model without rows or without columns "not valid". Neither needs a solver.
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

using ProgressFunction = std::function<bool(const MipProgress&)>;

/// Runs one search in a child process. A message that is malformed or out of order, or an end that
/// is neither clean nor ours, makes the answer a failure; the bounds reported on the way stand,
/// because each was proven when it was sent.
MipResult search(const Milp& milp, const MipOptions& options, const ProgressFunction& progress) {
  MipResult result;
  MipProgress latest;
  ResultOnce order;
  const auto work = [&](const std::function<void(const Message&)>& send) {
    const auto report = [&](const MipProgress& now) { send(encode(now)); };
    send(encode(run_cbc(milp, options, report)));
  };
  const auto receive = [&](const Message& message) {
    Unpacker unpacker(message);
    const Kind kind = unpacker.get_enum(Kind::result);
    order.take(kind == Kind::result);
    if (kind == Kind::result) {
      result = decode_result(unpacker, milp.columns.size());
      return true;
    }
    const MipProgress now = decode_progress(unpacker);
    latest.nodes = std::max(latest.nodes, now.nodes);
    if (now.bound < std::min(options.cutoff, 1e30)) {
      latest.bound = std::max(latest.bound, now.bound);
    }
    return progress(latest);
  };
  const ChildExit exit = run_in_child(
      work, receive, [&] { return progress(latest); }, options.time_limit_seconds + kGrace);
  if (order.received() && (exit.clean || exit.killed)) return result;
  result = {.bound = latest.bound, .nodes = latest.nodes};
  if (exit.killed) {
    result.status = MipResult::Status::stopped;
  } else {
    result.message = "CBC " + (exit.clean ? std::string("gave no answer") : exit.message);
  }
  return result;
}

bool found_nothing(const MipResult& result) {
  return result.status == MipResult::Status::finished && !result.values;
}

}  // namespace

MipResult solve_mip(const Milp& milp, const MipOptions& options, const ProgressFunction& progress) {
  if (auto result = solve_trivially(milp)) return *result;
  const Countdown time(options.time_limit_seconds);
  const MipResult first = search(milp, options, progress);
  if (!found_nothing(first) || !options.presolve || !options.confirm) return first;
  MipOptions plain = options;
  plain.presolve = false;
  plain.time_limit_seconds = time.remaining();
  const auto both = [&](const MipProgress& now) {
    return progress({.nodes = first.nodes + now.nodes, .bound = now.bound});
  };
  MipResult second = search(milp, plain, both);
  second.nodes += first.nodes;
  second.searches = found_nothing(second) ? 2 : 1;
  return second;
}

}  // namespace poet
