#include "support/wild_problems.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace poet::test {
namespace {

bool one_in(Random& random, int count) {
  return random.below(count) == 0;
}

// ---- Shapes ----

enum class Shape { chain, skips, tree, diamonds, joins, any };

std::vector<int> inputs_of(Random& random, Shape shape, int j) {
  if (j == 0) return {};
  switch (shape) {
    case Shape::chain:
      return {j - 1};
    case Shape::skips:
      return one_in(random, 2) ? std::vector{j - 1} : std::vector{j - 1, random.below(j)};
    case Shape::tree:
      return {random.below(j)};
    case Shape::diamonds:
      // 0; 1 and 2 read 0; 3 reads both; 4 and 5 read 3; ...
      if (j % 3 == 0) return {j - 1, j - 2};
      return {j - j % 3};
    case Shape::joins:
    case Shape::any:
      break;
  }
  std::vector<int> inputs;
  const int rarity = shape == Shape::joins ? 2 : 3;
  for (int i = 0; i < j; ++i) {
    if (random.below(rarity) == 0) inputs.push_back(i);
  }
  if (inputs.empty() && shape == Shape::joins) inputs.push_back(j - 1);
  return inputs;
}

Node node_reading(std::vector<int> inputs, bool backward) {
  return {.op = "custom", .inputs = std::move(inputs), .backward = backward};
}

/// One gradient per layer but the first, each reading the one before and two layers: a chain.
void add_backward_chain(std::vector<Node>& nodes) {
  const int layers = static_cast<int>(nodes.size());
  for (int n = layers - 1; n >= 1; --n) {
    std::vector<int> inputs{n - 1, n};
    if (n < layers - 1) inputs.push_back(static_cast<int>(nodes.size()) - 1);
    nodes.push_back(node_reading(std::move(inputs), true));
  }
}

/// One gradient per layer, reading the gradients of all its users, and its inputs or its output:
/// with skips and branches this is no chain.
void add_backward_edges(Random& random, std::vector<Node>& nodes, int first_layer) {
  const int layers = static_cast<int>(nodes.size());
  std::vector<int> gradient_of(layers, -1);
  for (int n = layers - 1; n >= first_layer; --n) {
    std::vector<int> inputs = nodes[n].inputs;
    if (inputs.empty() || one_in(random, 2)) inputs.push_back(n);
    for (int user = n + 1; user < layers; ++user) {
      const std::vector<int>& read = nodes[user].inputs;
      if (std::count(read.begin(), read.end(), n) > 0) inputs.push_back(gradient_of[user]);
    }
    gradient_of[n] = static_cast<int>(nodes.size());
    nodes.push_back(node_reading(std::move(inputs), true));
  }
}

std::vector<Node> draw_shape(Random& random, int size) {
  const auto shape = static_cast<Shape>(random.below(6));
  const int backward = random.below(5);
  const bool has_gradients = backward < 3;
  const int layers = has_gradients ? std::max(2, (size + 1) / 2) : size;
  std::vector<Node> nodes;
  for (int j = 0; j < layers; ++j) {
    nodes.push_back(node_reading(inputs_of(random, shape, j), false));
  }
  if (backward == 0) add_backward_chain(nodes);
  if (backward == 1 || backward == 2) add_backward_edges(random, nodes, random.below(2));
  if (backward == 3) {
    for (Node& node : nodes) node.backward = one_in(random, 2);
  }
  return nodes;
}

// ---- Numbers ----

/// How a quantity is spread over the nodes.
enum class Spread { equal, few, decades, wild, zero };

Spread draw_spread(Random& random, Numbers numbers) {
  constexpr Spread kSpreads[] = {Spread::equal,   Spread::equal, Spread::few,  Spread::few,
                                 Spread::decades, Spread::wild,  Spread::wild, Spread::zero};
  const Spread spread = kSpreads[random.below(one_in(random, 3) ? 8 : 7)];
  const bool moderate = numbers == Numbers::moderate;
  return moderate && spread == Spread::wild ? Spread::decades : spread;
}

double draw_cost(Random& random, Spread spread, double equal) {
  if (spread != Spread::equal && one_in(random, 8)) return 0;
  switch (spread) {
    case Spread::equal:
      return equal;
    case Spread::few:
      return (1 + random.below(4)) * equal;
    case Spread::decades:
      return std::pow(10.0, 3 * random.uniform() - 3);
    case Spread::wild:
      return std::pow(10.0, 12 * random.uniform() - 9);
    case Spread::zero:
      break;
  }
  return 0;
}

Bytes draw_bytes(Random& random, Spread spread, Bytes equal) {
  if (spread != Spread::equal && one_in(random, 8)) return 0;
  switch (spread) {
    case Spread::equal:
      return equal;
    case Spread::few:
      return (1 + random.below(6)) * equal;
    case Spread::decades:
      return 1 + random.below(5000);
    case Spread::wild:
      return static_cast<Bytes>(std::exp2(48 * random.uniform())) + random.below(3);
    case Spread::zero:
      break;
  }
  return 0;
}

void draw_numbers(Random& random, Numbers numbers, std::vector<Node>& nodes) {
  const bool moderate = numbers == Numbers::moderate;
  const auto one_of_all = [&] { return std::pow(10.0, random.below(moderate ? 4 : 13) - 9); };
  const Spread bytes = draw_spread(random, numbers);
  const Bytes equal_bytes =
      moderate || one_in(random, 2) ? 1 + random.below(9) : Bytes{1} << random.below(45);
  const Spread energy = draw_spread(random, numbers);
  const Spread runtime = draw_spread(random, numbers);
  const Spread page = draw_spread(random, numbers);
  const double equal_energy = one_of_all();
  const double equal_page = one_in(random, 2) ? equal_energy : one_of_all();
  const double equal_runtime = one_of_all();
  const bool runtime_like_energy = one_in(random, 2);
  for (std::size_t j = 0; j < nodes.size(); ++j) {
    Node& node = nodes[j];
    node.name = fmt::format("n{}", j);
    node.bytes = draw_bytes(random, bytes, equal_bytes);
    node.energy_joules = draw_cost(random, energy, equal_energy);
    node.runtime_seconds =
        runtime_like_energy ? 0.1 * node.energy_joules : draw_cost(random, runtime, equal_runtime);
    node.page_in_energy_joules = draw_cost(random, page, equal_page);
    node.page_out_energy_joules = draw_cost(random, page, equal_page);
  }
}

// ---- Budgets ----

Bytes draw_ram_budget(Random& random, const Graph& graph, const Baseline& base) {
  const Bytes low = working_set(graph).bytes;
  const Bytes high = base.peak_ram_bytes;
  switch (random.below(8)) {
    case 0:
      return std::max<Bytes>(1, low - 1);
    case 1:
    case 2:
      return std::max<Bytes>(1, low);
    case 3:
      return std::max<Bytes>(1, high - 1);
    case 4:
      return one_in(random, 4) ? std::max<Bytes>(1, high) : std::max<Bytes>(1, (low + high) / 2);
    case 5: {
      // What some set of tensors weighs: the edge between fitting and not.
      Bytes sum = 0;
      for (const Node& node : graph.nodes) sum += one_in(random, 2) ? node.bytes : 0;
      return std::clamp(sum, std::max<Bytes>(1, low), std::max<Bytes>(1, high));
    }
    default:
      return std::max<Bytes>(1, low) +
             static_cast<Bytes>(random.uniform() * static_cast<double>(high - low));
  }
}

Seconds draw_runtime_budget(Random& random, const Graph& graph, const Baseline& base) {
  const Seconds once = base.runtime_seconds;
  switch (random.below(8)) {
    case 0:
      return one_in(random, 4) ? once * (1 - 0.1 * random.uniform()) : once;
    case 1:
      return once;
    case 2:
    case 3: {
      // Just enough for certain recomputations.
      Seconds sum = once;
      for (const Node& node : graph.nodes) sum += one_in(random, 3) ? node.runtime_seconds : 0;
      return sum;
    }
    case 4:
      return once * 100 + 1;
    default:
      return once * (1 + 2 * random.uniform());
  }
}

Problem draw_problem(Random& random, int size, Numbers numbers) {
  std::vector<Node> nodes = draw_shape(random, size);
  draw_numbers(random, numbers, nodes);
  Problem problem{.graph = make_graph(std::move(nodes))};
  const Baseline base = baseline(problem.graph);
  const int techniques = random.below(10);
  problem.limits = {
      .ram_budget_bytes = draw_ram_budget(random, problem.graph, base),
      .runtime_budget_seconds = draw_runtime_budget(random, problem.graph, base),
      .techniques = {.paging = techniques > 2, .remat = techniques > 4 || techniques % 2 == 0}};
  return problem;
}

}  // namespace

Problem wild_problem(Random& random, int size, Numbers numbers) {
  const bool any_will_do = one_in(random, 6);
  constexpr int kTries = 30;
  Problem problem = draw_problem(random, size, numbers);
  for (int tried = 0; tried < kTries && !any_will_do; ++tried) {
    if (instant_verdict(problem, baseline(problem.graph)).kind == Verdict::Kind::open) break;
    problem = draw_problem(random, size, numbers);
  }
  return problem;
}

std::optional<Problem> with_a_byte_too_little(const Problem& problem) {
  constexpr Bytes kFactor = Bytes{1} << 30;
  Problem larger = problem;
  Bytes total = larger.limits.ram_budget_bytes;
  for (const Node& node : larger.graph.nodes) total += node.bytes;
  if (total > kMaxBytes / kFactor) return std::nullopt;
  for (Node& node : larger.graph.nodes) node.bytes *= kFactor;
  larger.limits.ram_budget_bytes = larger.limits.ram_budget_bytes * kFactor - 1;
  return larger;
}

}  // namespace poet::test
