#include "measure/fit_platform.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "poet/error.hpp"

namespace poet {
namespace {

/// What some nodes come to together.
struct Work {
  double flop = 0;
  Seconds seconds = 0;
  Joules energy = 0;

  void add(const Work& other) {
    flop += other.flop;
    seconds += other.seconds;
    energy += other.energy;
  }
  OpRates rates() const {
    OpRates result;
    if (flop > 0 && seconds > 0) result.flops_per_second = flop / seconds;
    if (flop > 0 && energy > 0) result.flops_per_joule = flop / energy;
    return result;
  }
};

/// The bytes that each computation moves, by the formula of cost_graph(): its time on a platform
/// that computes in no time and moves one byte in a second.
std::vector<double> bytes_moved(const Model& model, int element_bytes) {
  const Platform platform{.flops_per_second = kMaxCost,
                          .flops_per_joule = kMaxCost,
                          .page_in = {.bytes_per_second = 1},
                          .page_out = {.bytes_per_second = 1},
                          .element_bytes = element_bytes,
                          .memory_bytes_per_second = 1};
  std::vector<double> bytes;
  for (const Node& node : cost_graph(model, &platform).nodes) bytes.push_back(node.runtime_seconds);
  return bytes;
}

std::optional<double> bandwidth(const MeasuredStep& measured, int element_bytes) {
  const std::vector<double> moved = bytes_moved(measured.model, element_bytes);
  double bytes = 0;
  Seconds seconds = 0;
  double least = 0;
  for (std::size_t i = 0; i < moved.size(); ++i) {
    const Seconds time = measured.times.compute[i];
    const ModelNode& node = measured.model.nodes[i];
    // A copy of parameters takes the time of flash.
    if (node.flop == 0 && !node.reads_parameters.empty()) continue;
    if (node.flop == 0) {
      bytes += moved[i];
      seconds += time;
    } else if (time > 0) {
      least = std::max(least, moved[i] / time);
    }
  }
  if (!(bytes > 0 && seconds > 0)) return std::nullopt;
  return std::max(bytes / seconds, least);
}

/// Sums of the weighted least squares, each time weighted by its inverse square.
struct Sums {
  double ones = 0, bytes = 0, squares = 0, seconds = 0, products = 0;

  void add(const TransferTime& time) {
    const double weight = 1 / (time.seconds * time.seconds);
    const auto size = static_cast<double>(time.bytes);
    ones += weight;
    bytes += weight * size;
    squares += weight * size * size;
    seconds += weight * time.seconds;
    products += weight * size * time.seconds;
  }
};

}  // namespace

Transfer fit_transfer(std::span<const TransferTime> times, const Transfer& usual) {
  constexpr double kSingular = 1e-9;
  Sums sum;
  for (const TransferTime& time : times) {
    if (time.seconds > 0 && time.bytes > 0) sum.add(time);
  }
  if (!(sum.ones > 0)) throw InputError("found no transfer that took any time");
  const double determinant = sum.ones * sum.squares - sum.bytes * sum.bytes;
  if (determinant <= kSingular * sum.ones * sum.squares) {
    const double share =
        sum.seconds / (sum.ones * usual.latency_seconds + sum.bytes / usual.bytes_per_second);
    return {.latency_seconds = share * usual.latency_seconds,
            .bytes_per_second = usual.bytes_per_second / share};
  }
  const double slope = (sum.ones * sum.products - sum.bytes * sum.seconds) / determinant;
  const double latency = (sum.seconds - slope * sum.bytes) / sum.ones;
  if (slope > 0 && latency > 0) {
    return {.latency_seconds = latency, .bytes_per_second = 1 / slope};
  }
  return {.latency_seconds = 0, .bytes_per_second = sum.squares / sum.products};
}

Transfer predicted_transfer(const Graph& graph, Direction direction) {
  std::vector<TransferTime> times;
  Seconds seconds = 0;
  Joules energy = 0;
  for (const Node& node : graph.nodes) {
    const bool is_in = direction == Direction::in;
    times.push_back({bytes_in_storage(node), is_in ? node.page_in_seconds : node.page_out_seconds});
    seconds += times.back().seconds;
    energy += is_in ? node.page_in_energy_joules : node.page_out_energy_joules;
  }
  Transfer transfer = fit_transfer(times, {.latency_seconds = 0, .bytes_per_second = 1});
  transfer.power_watts = energy / seconds;
  return transfer;
}

Seconds seconds_of(const Transfer& transfer, Bytes bytes) {
  return transfer.latency_seconds + static_cast<double>(bytes) / transfer.bytes_per_second;
}

Platform fit_platform(const MeasuredStep& measured, const Platform& base) {
  const std::vector<double> watts = compute_watts(measured.graph);
  std::map<std::string, Work, std::less<>> by_op;
  Work all;
  for (std::size_t i = 0; i < measured.model.nodes.size(); ++i) {
    const ModelNode& node = measured.model.nodes[i];
    const Seconds seconds = measured.times.compute[i];
    const Work work{static_cast<double>(node.flop), seconds, watts[i] * seconds};
    by_op[node.op].add(work);
    if (node.flop > 0) all.add(work);
  }
  const OpRates usual = all.rates();
  if (!usual.flops_per_second) {
    throw InputError("no computation took any time; expected times above 0");
  }
  Platform platform = base;
  platform.flops_per_second = *usual.flops_per_second;
  platform.flops_per_joule = usual.flops_per_joule.value_or(base.flops_per_joule);
  platform.page_in = measured.page_in;
  platform.page_out = measured.page_out;
  platform.memory_power_watts = measured.page_in.power_watts.value_or(0);
  platform.memory_bytes_per_second = bandwidth(measured, base.element_bytes);
  platform.ops.clear();
  // The board file's statements on its figures do not hold for these.
  platform.intervals.clear();
  platform.sources.clear();
  platform.standing.reset();
  for (const auto& [op, work] : by_op) {
    const OpRates rates = work.rates();
    if (rates.flops_per_second) platform.ops[op] = rates;
  }
  return platform;
}

}  // namespace poet
