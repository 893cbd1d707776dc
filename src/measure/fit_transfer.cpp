#include "measure/fit_transfer.hpp"

#include "poet/error.hpp"

namespace poet {
namespace {

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

}  // namespace poet
