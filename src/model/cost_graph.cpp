// POET's cost model: a computation costs what its FLOPs cost on the board, a transfer what its
// bytes do (ICML 2022, section 5). It is linear on purpose: four published figures per board are
// enough, and a user who measured more puts it into the model file. The same FLOP counts give
// runtime and energy, so on one platform the energy of a schedule without paging is proportional to
// its runtime, unless the platform states rates for some ops or the bandwidth of its RAM. Costs are
// the only thing that a platform adds: edges and attributes come from the model as they are.

#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "model/memory_waits.hpp"
#include "model/shape.hpp"
#include "poet/error.hpp"
#include "poet/platform.hpp"
#include "problem/alignment.hpp"

namespace poet {
namespace {

/// Bytes in whole blocks; sizes stay within what a double holds exactly.
Bytes in_blocks(Bytes bytes, const Platform& platform) {
  return aligned(bytes, platform.block_bytes.value_or(1));
}

Seconds transfer_seconds(const Transfer& transfer, Bytes bytes) {
  return transfer.latency_seconds + static_cast<double>(bytes) / transfer.bytes_per_second;
}

/// The rates of an op. A gradient without rates of its own has the rates of its op. From the
/// general to the particular: the platform, its "default", the op of the gradient, the op itself.
OpRates rates_of(const Platform& platform, std::string_view op) {
  OpRates rates{platform.flops_per_second, platform.flops_per_joule};
  const auto apply = [&](std::string_view key) {
    const auto found = platform.ops.find(key);
    if (found == platform.ops.end()) return;
    if (found->second.flops_per_second) rates.flops_per_second = found->second.flops_per_second;
    if (found->second.flops_per_joule) rates.flops_per_joule = found->second.flops_per_joule;
  };
  apply("default");
  for (const std::string_view suffix : {"_gradw", "_grad"}) {
    if (op.ends_with(suffix)) apply(op.substr(0, op.size() - suffix.size()));
  }
  apply(op);
  return rates;
}

[[noreturn]] void fail(const ModelNode& node, std::string_view message) {
  throw InputError(fmt::format("node '{}': {}", node.name, message));
}

Bytes output_bytes(const ModelNode& node, const Platform& platform) {
  if (node.bytes) return *node.bytes;
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
  const OpRates rates = rates_of(*platform, from.op);
  node.runtime_seconds = static_cast<double>(from.flop) / *rates.flops_per_second;
  node.energy_joules = static_cast<double>(from.flop) / *rates.flops_per_joule;
}

/// Copies are of float32, and sizes that a file leaves to the platform may be others.
void expect_smaller_copy(const ModelNode& from, const Model& model, const Platform* platform) {
  if (!from.copy_of || model.nodes[*from.copy_of].bytes) return;
  if (platform == nullptr || platform->element_bytes == 4) return;
  fail(from, fmt::format("found a platform with elements of {} bytes, expected 4, the only ones "
                         "that copies are made of",
                         platform->element_bytes));
}

void copy_attributes(const ModelNode& from, Node& node) {
  node.in_place = from.in_place;
  node.in_place_choices = from.in_place_choices;
  node.workspace_bytes = from.workspace_bytes;
  node.recompute = from.recompute;
  node.page = from.page;
  node.bank = from.bank;
  node.reads_parameters = from.reads_parameters;
  node.writes_parameters = from.writes_parameters;
}

// A measured energy holds for the memory that it was measured with, so the scale does not apply.
void set_page_costs(const ModelNode& from, const Platform* platform, double mem_power_scale,
                    bool paging, Node& node) {
  if (platform != nullptr) {
    const auto watts = [&](const Transfer& transfer) {
      return transfer.power_watts.value_or(platform->memory_power_watts) * mem_power_scale;
    };
    const Bytes bytes = in_blocks(node.bytes, *platform);
    if (bytes != node.bytes) node.storage_bytes = bytes;
    node.page_in_seconds = transfer_seconds(platform->page_in, bytes);
    node.page_out_seconds = transfer_seconds(platform->page_out, bytes);
    node.page_in_energy_joules = node.page_in_seconds * watts(platform->page_in);
    node.page_out_energy_joules = node.page_out_seconds * watts(platform->page_out);
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
  if (costs.storage_bytes) node.storage_bytes = costs.storage_bytes;
  node.page_in_seconds = costs.page_in_seconds.value_or(node.page_in_seconds);
  node.page_out_seconds = costs.page_out_seconds.value_or(node.page_out_seconds);
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
  std::optional<MemoryWaits> waits;
  if (platform != nullptr) waits.emplace(model, *platform);
  std::vector<Node> nodes;
  nodes.reserve(model.nodes.size());
  for (const ModelNode& from : model.nodes) {
    Node node;
    node.name = from.name;
    node.op = from.op;
    node.inputs = from.inputs;
    node.backward = from.backward;
    set_compute_costs(from, platform, node);
    copy_attributes(from, node);
    expect_smaller_copy(from, model, platform);
    if (model.backward == Backward::exact) {
      node.bytes = aligned(node.bytes, model.alignment);
      node.workspace_bytes = aligned(node.workspace_bytes, model.alignment);
    }
    if (waits) waits->add_to(node, from, nodes);
    set_page_costs(from, platform, mem_power_scale, paging, node);
    nodes.push_back(std::move(node));
  }
  return make_graph(std::move(nodes));
}

}  // namespace poet
