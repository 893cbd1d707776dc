// POET's cost model: a computation costs what its FLOPs cost on the board, a transfer what its
// bytes do (ICML 2022, section 5). It is linear on purpose: four published figures per board are
// enough, and a user who measured more puts it into the model file. The same FLOP counts give
// runtime and energy, so on one platform the energy of a schedule without paging is proportional to
// its runtime.

#include <cmath>

#include <fmt/format.h>

#include "model/shape.hpp"
#include "poet/error.hpp"
#include "poet/platform.hpp"

namespace poet {
namespace {

Seconds transfer_seconds(const Transfer& transfer, Bytes bytes) {
  return transfer.latency_seconds + static_cast<double>(bytes) / transfer.bytes_per_second;
}

[[noreturn]] void fail(const ModelNode& node, std::string_view message) {
  throw InputError(fmt::format("node '{}': {}", node.name, message));
}

Bytes output_bytes(const ModelNode& node, const Platform& platform) {
  const Bytes elements = element_count(node.out_shape);
  if (elements > kMaxBytes / platform.element_bytes) {
    fail(node, fmt::format("an output of {} elements of {} bytes, expected at most 2^53 bytes",
                           elements, platform.element_bytes));
  }
  return elements * platform.element_bytes;
}

void set_compute_costs(const ModelNode& from, const Platform* platform, Node& node) {
  if (from.measured) {
    node.bytes = from.measured->bytes;
    node.runtime_seconds = from.measured->runtime_seconds;
    node.energy_joules = from.measured->energy_joules;
    return;
  }
  if (platform == nullptr) fail(from, "no measured costs, expected a platform to supply them");
  node.bytes = output_bytes(from, *platform);
  node.runtime_seconds = static_cast<double>(from.flop) / platform->flops_per_second;
  node.energy_joules = static_cast<double>(from.flop) / platform->flops_per_joule;
}

// A measured energy holds for the memory that it was measured with, so the scale does not apply.
void set_page_costs(const ModelNode& from, const Platform* platform, double mem_power_scale,
                    bool paging, Node& node) {
  if (platform != nullptr) {
    const double watts = platform->memory_power_watts * mem_power_scale;
    node.page_in_seconds = transfer_seconds(platform->page_in, node.bytes);
    node.page_out_seconds = transfer_seconds(platform->page_out, node.bytes);
    node.page_in_energy_joules = node.page_in_seconds * watts;
    node.page_out_energy_joules = node.page_out_seconds * watts;
  }
  const auto take = [&](const std::optional<Joules>& measured, const char* key, Joules& energy) {
    if (measured) {
      energy = *measured;
    } else if (platform == nullptr && paging) {
      fail(from, fmt::format("no {}, expected one, or a platform to supply it", key));
    }
  };
  const MeasuredCosts costs = from.measured.value_or(MeasuredCosts{});
  take(costs.page_in_energy_joules, "page_in_energy_joules", node.page_in_energy_joules);
  take(costs.page_out_energy_joules, "page_out_energy_joules", node.page_out_energy_joules);
}

}  // namespace

Graph cost_graph(const Model& model, const Platform* platform, double mem_power_scale,
                 bool paging) {
  if (!std::isfinite(mem_power_scale) || mem_power_scale < 0) {
    throw InputError(
        fmt::format("the memory power scale is {}, expected a finite number of at "
                    "least 0",
                    mem_power_scale));
  }
  std::vector<Node> nodes;
  nodes.reserve(model.nodes.size());
  for (const ModelNode& from : model.nodes) {
    Node node;
    node.name = from.name;
    node.op = from.op;
    node.inputs = from.inputs;
    node.backward = from.backward;
    set_compute_costs(from, platform, node);
    set_page_costs(from, platform, mem_power_scale, paging, node);
    nodes.push_back(std::move(node));
  }
  return make_graph(std::move(nodes));
}

}  // namespace poet
