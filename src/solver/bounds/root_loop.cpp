#include "solver/bounds/root_loop.hpp"

#include <algorithm>

#include "process/child_process.hpp"
#include "process/packer.hpp"
#include "solver/bounds/relaxation.hpp"
#include "solver/clock.hpp"

namespace poet {
namespace {

constexpr int kCleanInterval = 5;  // rounds between removals of slack rows
constexpr int kStallRounds = 12;
constexpr double kStallShare = 0.03;    // of the distance to the ceiling, in kStallRounds
constexpr double kFixingMargin = 1e-4;  // in scaled units; on the safe side
constexpr Seconds kGrace = 0.3;

/// The loop itself, in the child process.
class RootLoop {
 public:
  RootLoop(const Formulation& model, const Graph& graph, const Milp& milp,
           const RootOptions& options)
      : options_(options), relaxation_(model, graph, milp, options.techniques) {}

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

  /// Reduced-cost fixing: a column whose reduced cost lifts the bound to the ceiling is where it
  /// is in every solution below. Reduced costs of the relaxation, never bare costs, may be used.
  void fix_columns(RootResult& result) {
    if (options_.ceiling == kInfinity || !options_.techniques.cost_fixing) return;
    const double room = options_.ceiling - relaxation_.bound() + kFixingMargin;
    const auto reduced = relaxation_.reduced_costs();
    result.fixed.resize(reduced.size(), -1);
    for (std::size_t c = 0; c < reduced.size(); ++c) {
      if (reduced[c] > room) result.fixed[c] = 0;
      if (reduced[c] < -room) result.fixed[c] = 1;
    }
  }

  const RootOptions& options_;
  Relaxation relaxation_;
  std::vector<double> bounds_;
  std::vector<double> values_;  // at the last optimum
  Countdown time_{options_.time_limit_seconds};
};

void put(Packer& packer, const PrecedenceCut& cut) {
  packer.put(cut.first);
  packer.put(cut.last);
  packer.put_all(cut.path);
  packer.put_all(cut.by_copy);
}

PrecedenceCut get_cut(Unpacker& unpacker) {
  PrecedenceCut cut;
  cut.first = unpacker.get_as<int>();
  cut.last = unpacker.get_as<int>();
  cut.path = unpacker.get_all<int>();
  cut.by_copy = unpacker.get_all<bool>();
  return cut;
}

Message pack(const RootResult& result) {
  Packer packer;
  packer.put(static_cast<int>(result.status));
  packer.put(result.bound);
  packer.put_all(result.fixed);
  packer.put(result.complete);
  packer.put_all(result.values);
  packer.put_all(result.active_rows);
  packer.put_size(result.active_cuts);
  for (const PrecedenceCut& cut : result.active_cuts) put(packer, cut);
  return packer.message();
}

RootResult unpack(const Message& message) {
  Unpacker unpacker(message);
  RootResult result;
  result.status = static_cast<RootResult::Status>(unpacker.get_as<int>());
  result.bound = unpacker.get();
  result.fixed = unpacker.get_all<std::int8_t>();
  result.complete = unpacker.get_as<bool>();
  result.values = unpacker.get_all<double>();
  result.active_rows = unpacker.get_all<int>();
  result.active_cuts.resize(unpacker.get_as<std::size_t>());
  for (PrecedenceCut& cut : result.active_cuts) cut = get_cut(unpacker);
  return result;
}

}  // namespace

RootResult run_root_loop(const Formulation& model, const Graph& graph, const ScaledMilp& scaled,
                         const RootOptions& options, const std::function<bool(double)>& progress) {
  RootResult result;
  double bound = -kInfinity;
  const auto work = [&](const std::function<void(const Message&)>& send) {
    const auto report = [&](double now) {
      Packer packer;
      packer.put(now);
      send(packer.message());
    };
    send(pack(RootLoop(model, graph, scaled.milp, options).run(report)));
  };
  const auto receive = [&](const Message& message) {
    if (message.size() == sizeof(double)) {
      bound = std::max(bound, Unpacker(message).get());
      return progress(bound);
    }
    result = unpack(message);
    return true;
  };
  const ChildExit exit = run_in_child(
      work, receive, [&] { return progress(bound); }, options.time_limit_seconds + kGrace);
  result.bound = std::max(result.bound, bound);
  if (exit.killed && bound > -kInfinity) result.status = RootResult::Status::bounded;
  return result;
}

}  // namespace poet
