#include "solver/relaxation/root_loop.hpp"

#include <algorithm>

#include "base/process/child_process.hpp"
#include "base/process/packer.hpp"
#include "solver/clock.hpp"
#include "solver/relaxation/relaxation.hpp"

namespace poet {
namespace {

constexpr int kCleanInterval = 5;  // rounds between removals of slack rows
constexpr int kStallRounds = 12;
constexpr double kStallShare = 0.03;  // of the distance to the ceiling, in kStallRounds

/// The loop itself, in the child process.
class RootLoop {
 public:
  RootLoop(const Formulation& model, const Graph& graph, const ScaledMilp& scaled,
           const RootOptions& options)
      : options_(options),
        fixing_margin_(fixing_margin(scaled)),
        relaxation_(model, graph, scaled.milp, options.features) {}

  RootResult run(const std::function<void(double)>& report) {
    RootResult result;
    relaxation_.start({}, options_.cuts);
    std::int64_t iterations = 0;
    for (int round = 0;; ++round) {
      const auto status = relaxation_.solve(options_.ceiling, time_.remaining());
      if (status == LinearProgram::Status::infeasible) {
        result.status = RootResult::Status::closed;
        result.bound = options_.ceiling;
        return result;
      }
      if (status != LinearProgram::Status::optimal) break;
      result.status = RootResult::Status::bounded;
      values_.assign(relaxation_.values().begin(), relaxation_.values().end());
      if (relaxation_.bound() > result.bound) {
        result.bound = relaxation_.bound();
        report(result.bound);
        fix_columns(result);
      }
      iterations += round == 0 ? 0 : relaxation_.iterations();
      result.complete = stalled(round, result.bound);
      if (result.complete || iterations >= options_.iterations || time_.expired()) break;
      if (round % kCleanInterval == 0) relaxation_.remove_slack_rows();
      result.complete = !relaxation_.add_violated_rows();
      if (result.complete) break;
    }
    result.values = std::move(values_);
    result.active_rows = relaxation_.active_rows();
    result.active_cuts = relaxation_.active_cuts();
    return result;
  }

 private:
  bool stalled(int round, double bound) {
    bounds_.push_back(bound);
    if (round < 3 * kStallRounds || options_.ceiling == kInfinity) return round > 400;
    const double gained = bound - bounds_[bounds_.size() - 1 - kStallRounds];
    return gained < kStallShare * (options_.ceiling - bound);
  }

  /// Reduced-cost fixing: a column whose reduced cost lifts the bound to the ceiling keeps its
  /// value in every solution below. Only reduced costs of the relaxation prove that, never bare
  /// costs.
  void fix_columns(RootResult& result) {
    if (options_.ceiling == kInfinity || !options_.features.cost_fixing) return;
    const double room = options_.ceiling - relaxation_.bound() + fixing_margin_;
    const auto reduced = relaxation_.reduced_costs();
    result.fixed.resize(reduced.size(), -1);
    for (std::size_t c = 0; c < reduced.size(); ++c) {
      if (reduced[c] > room) result.fixed[c] = 0;
      if (reduced[c] < -room) result.fixed[c] = 1;
    }
  }

  const RootOptions& options_;
  double fixing_margin_;
  Relaxation relaxation_;
  std::vector<double> bounds_;
  std::vector<double> values_;  // at the last optimum
  Countdown time_{options_.time_limit_seconds};
};

enum class Kind { bound, result };

Message encode_bound(double bound) {
  Packer packer;
  packer.put(Kind::bound);
  packer.put(bound);
  return packer.message();
}

void put(Packer& packer, const PrecedenceCut& cut) {
  packer.put(cut.first);
  packer.put(cut.last);
  packer.put_all(cut.path);
  packer.put_all(cut.by_copy);
}

PrecedenceCut get_cut(Unpacker& unpacker, std::size_t nodes) {
  PrecedenceCut cut;
  cut.first = unpacker.get_index(nodes);
  cut.last = unpacker.get_index(nodes);
  cut.path.resize(unpacker.get_size());
  for (int& node : cut.path) node = unpacker.get_index(nodes);
  cut.by_copy = unpacker.get_all<bool>();
  if (cut.by_copy.size() != cut.path.size()) {
    throw MalformedMessage("a cut does not have a choice per node of its path");
  }
  return cut;
}

Message encode_result(const RootResult& result) {
  Packer packer;
  packer.put(Kind::result);
  packer.put(result.status);
  packer.put(result.bound);
  packer.put_all(result.fixed);
  packer.put(result.complete);
  packer.put_all(result.values);
  packer.put_all(result.active_rows);
  packer.put_size(result.active_cuts);
  for (const PrecedenceCut& cut : result.active_cuts) put(packer, cut);
  return packer.message();
}

/// Reads a list that is empty or has an entry per column.
template <typename Item>
std::vector<Item> get_by_column(Unpacker& unpacker, const Milp& milp) {
  std::vector<Item> items = unpacker.get_all<Item>();
  if (!items.empty() && items.size() != milp.columns.size()) {
    throw MalformedMessage("a list does not have an entry per column");
  }
  return items;
}

RootResult decode_result(Unpacker& unpacker, const Milp& milp, std::size_t nodes) {
  RootResult result;
  result.status = unpacker.get_enum(RootResult::Status::failed);
  result.bound = unpacker.get();
  result.fixed = get_by_column<std::int8_t>(unpacker, milp);
  result.complete = unpacker.get_as<bool>();
  result.values = get_by_column<double>(unpacker, milp);
  result.active_rows.resize(unpacker.get_size());
  for (int& row : result.active_rows) row = unpacker.get_index(milp.rows.size());
  result.active_cuts.resize(unpacker.get_size());
  for (PrecedenceCut& cut : result.active_cuts) cut = get_cut(unpacker, nodes);
  unpacker.finish();
  return result;
}

}  // namespace

double fixing_margin(const ScaledMilp& scaled) {
  constexpr double kMinMargin = 1e-4;
  return kMinMargin + scaled.rounding;
}

RootResult run_root_loop(const Formulation& model, const Graph& graph, const ScaledMilp& scaled,
                         const RootOptions& options, const std::function<bool(double)>& progress) {
  RootResult result;
  double bound = -kInfinity;
  ResultOnce order;
  const auto work = [&](const std::function<void(const Message&)>& send) {
    const auto report = [&](double now) { send(encode_bound(now)); };
    send(encode_result(RootLoop(model, graph, scaled, options).run(report)));
  };
  const auto receive = [&](const Message& message) {
    Unpacker unpacker(message);
    const Kind kind = unpacker.get_enum(Kind::result);
    order.take(kind == Kind::result);
    if (kind == Kind::result) {
      result = decode_result(unpacker, scaled.milp, graph.nodes.size());
      return true;
    }
    bound = std::max(bound, unpacker.get());
    unpacker.finish();
    return progress(bound);
  };
  const ChildExit exit = run_in_child(
      work, receive, [&] { return progress(bound); }, options.time_limit_seconds + kGrace);
  if (!exit.clean && !exit.killed) result = {};
  result.bound = std::max(result.bound, bound);
  if (exit.killed && bound > -kInfinity) result.status = RootResult::Status::bounded;
  return result;
}

}  // namespace poet
