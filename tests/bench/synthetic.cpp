#include "synthetic.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "solver/search/position.hpp"
#include "support/random_graphs.hpp"

namespace poet::bench {
namespace {

/// Whole numbers from low to high.
int between(Random& random, int low, int high) {
  return low + random.below(high - low + 1);
}

/// Evenly spread over the orders of magnitude from low to high.
double log_uniform(Random& random, double low, double high) {
  return low * std::pow(high / low, random.uniform());
}

/// Tensors shrink over the depth of the network, and come in few sizes, as in real ones.
Bytes tensor_bytes(Random& random, int index, int count) {
  constexpr Bytes kLargest = 128 * 1024;
  const int halvings = 3 * index / count;
  return (kLargest >> halvings) / (random.below(4) == 0 ? 2 : 1);
}

/// Every third node stands for a convolution, the others for what follows it. The figures are of
/// the order of resnet18_cifar's on the platform m4.
Node forward_node(Random& random, int index, int count) {
  constexpr Joules kPageInPerByte = 7.4e-8;
  constexpr Joules kPageOutPerByte = 7.7e-8;
  constexpr double kJoulesPerSecond = 0.011;
  const bool heavy = index % 3 == 1;
  const Joules energy = heavy ? log_uniform(random, 1e-3, 1e-2) : log_uniform(random, 5e-6, 5e-5);
  const Bytes bytes = tensor_bytes(random, index, count);
  return {.name = fmt::format("n{}", index),
          .op = heavy ? "heavy" : "light",
          .bytes = bytes,
          .runtime_seconds = energy / kJoulesPerSecond,
          .energy_joules = energy,
          .page_in_energy_joules = kPageInPerByte * static_cast<double>(bytes),
          .page_out_energy_joules = kPageOutPerByte * static_cast<double>(bytes)};
}

/// Most skips are short; a few reach far back.
void read_by_skips(Random& random, std::vector<Node>& nodes) {
  for (int j = 1; j < static_cast<int>(nodes.size()); ++j) {
    nodes[j].inputs.push_back(j - 1);
    if (j < 3) continue;
    if (random.below(4) == 0)
      nodes[j].inputs.push_back(between(random, std::max(0, j - 24), j - 2));
    if (random.below(32) == 0) nodes[j].inputs.push_back(random.below(j - 1));
  }
}

void read_by_layers(Random& random, std::vector<Node>& nodes) {
  const int count = static_cast<int>(nodes.size());
  int before = 0;  // where the layer before starts; the input is a layer of its own
  for (int begin = 1; begin < count;) {
    const int end = std::min(count, begin + between(random, 1, 5));
    for (int j = begin; j < end; ++j) {
      for (int reads = between(random, 1, 3); reads > 0; --reads) {
        nodes[j].inputs.push_back(between(random, before, begin - 1));
      }
      if (random.below(8) == 0) nodes[j].inputs.push_back(random.below(begin));
    }
    before = begin;
    begin = end;
  }
}

/// Layers grow in number and in width with the graph, and so does the number of inputs: 2 to 6 a
/// node. An input lies one layer back, or with probability 1/2 each one more; one in four lies
/// anywhere.
Graph far_reaching_graph(Random& random, int count) {
  const int width = std::max(2, static_cast<int>(0.5 * std::sqrt(count)));
  const int most_inputs = std::max(3, static_cast<int>(std::log2(count)));
  std::vector<int> begins{0};  // of layers
  std::vector<Node> nodes;
  while (static_cast<int>(nodes.size()) < count) {
    const int begin = static_cast<int>(nodes.size());
    const int end = std::min(count, begin + between(random, 1, 2 * width - 1));
    const int layers = static_cast<int>(begins.size()) - 1;
    for (int j = begin; j < end; ++j) {
      const double cost = between(random, 1, 100);
      Node node{.name = fmt::format("n{}", j),
                .op = "custom",
                .bytes = between(random, 1, 100),
                .runtime_seconds = cost,
                .energy_joules = cost};
      for (int reads = layers > 0 ? between(random, 1, most_inputs) : 0; reads > 0; --reads) {
        int back = 1;
        while (back < layers && random.below(2) == 0) ++back;
        if (random.below(4) == 0) back = between(random, 1, layers);
        const int layer = layers - back;
        node.inputs.push_back(between(random, begins[layer], begins[layer + 1] - 1));
      }
      nodes.push_back(std::move(node));
    }
    begins.push_back(end);
  }
  return make_graph(std::move(nodes));
}

}  // namespace

std::string_view family_name(Family family) {
  switch (family) {
    case Family::skips:
      return "skips";
    case Family::layered:
      return "layered";
    case Family::far_reaching:
      break;
  }
  return "far-reaching";
}

Graph synthetic_graph(Family family, int nodes, std::uint64_t seed) {
  Random random(seed);
  if (family == Family::far_reaching) return far_reaching_graph(random, nodes);
  const int count = nodes / 2;
  std::vector<Node> forward;
  for (int j = 0; j < count; ++j) forward.push_back(forward_node(random, j, count));
  if (family == Family::skips) {
    read_by_skips(random, forward);
  } else {
    read_by_layers(random, forward);
  }
  return test::training_graph(forward);
}

std::string model_file(const Graph& graph, const std::string& name) {
  std::string nodes;
  for (int k = 0; k < graph.size(); ++k) {
    const Node& node = graph.nodes[k];
    std::string inputs;
    for (const int input : node.inputs) {
      inputs += fmt::format("{}\"{}\"", inputs.empty() ? "" : ", ", graph.nodes[input].name);
    }
    nodes += fmt::format(
        R"({}
  {{"name": "{}", "op": "{}", "bytes": {}, "runtime_seconds": {}, "energy_joules": {},)"
        R"( "page_in_energy_joules": {}, "page_out_energy_joules": {}, "inputs": [{}], "backward": {}}})",
        k > 0 ? "," : "", node.name, node.op, node.bytes, node.runtime_seconds, node.energy_joules,
        node.page_in_energy_joules, node.page_out_energy_joules, inputs, k >= graph.first_backward);
  }
  return fmt::format(
      "{{\"format\": \"poet-model\", \"version\": 1, \"name\": \"{}\", \"nodes\": [{}]}}\n", name,
      nodes);
}

}  // namespace poet::bench
