#include "solver/formulation/tail_cuts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "solver/formulation/row_builder.hpp"
#include "solver/milp/scaling.hpp"

namespace poet {
namespace {

constexpr std::size_t kMostSets = 150'000;
constexpr std::size_t kMostGroups = 5;
/// A tensor that costs this share of the dearest begins a run: the tensors after it are cheap to
/// compute from it, so a schedule pages one of them.
constexpr double kDear = 0.1;

// Energies in the linear program are in units of 1e-4 of the baseline's.
constexpr double kUnit = 1e-4 * TailValues::kBaseline;
constexpr double kMostUnits = TailValues::kMost / kUnit;
constexpr double kWorthARow = 0.1;
/// Steep prices let the next optimum out by a sliver of one tensor, so each unit costs a little.
constexpr double kAgainstPrices = 2e-4;
constexpr int kMostRounds = 200;
constexpr std::size_t kCasesAtOnce = 60;

/// f(energy, expression) for what counts as spent from stage t on.
template <typename Function>
void for_each_spent(const Formulation& model, const Graph& graph, int t,
                    std::span<const int> tensors, Function f) {
  for (; t < model.size(); ++t) {
    for (const int i : tensors) {
      f(graph.nodes[i].energy_joules, model.compute(t, i));
      f(graph.nodes[i].page_in_energy_joules, model.page_in(t, i));
    }
    for (const int i : graph.nodes[t].inputs) {
      if (i >= graph.first_backward) f(graph.nodes[i].energy_joules, model.compute(t, i));
    }
  }
}

}  // namespace

TailCuts::TailCuts(const Formulation& model, const Graph& graph, std::span<const double> values,
                   std::int64_t most_steps)
    : model_(model), graph_(graph), values_(graph, model.memory.ram_bytes, kMostSets) {
  if (values_.steps() == 0) return;
  const std::int64_t most_tables = most_steps / values_.steps();
  if (most_tables < 1) return;
  choose_groups(values, std::bit_width(static_cast<std::uint64_t>(most_tables)) - 1);
  make_tables();
}

/// Runs of tensors, those first whose copies the stages before the tail read least: what the head
/// reads as well it may have paid for.
void TailCuts::choose_groups(std::span<const double> values, std::size_t most) {
  const std::span<const int> tensors = values_.tensors();
  Joules dearest = 0;
  for (const int i : tensors) dearest = std::max(dearest, graph_.nodes[i].energy_joules);
  std::vector<std::pair<double, Set>> runs;
  for (std::size_t q = 0; q < tensors.size(); ++q) {
    const int i = tensors[q];
    if (runs.empty() || graph_.nodes[i].energy_joules > kDear * dearest) runs.emplace_back(0, 0);
    auto& [read_before, run] = runs.back();
    run |= Set{1} << q;
    for (int t = i + 1; t < values_.stage(); ++t) {
      read_before += value_of(model_.page_in(t, i), values);
    }
  }
  std::stable_sort(runs.begin(), runs.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  runs.resize(std::min({runs.size(), most, kMostGroups}));
  for (const auto& [read_before, run] : runs) groups_.push_back(run);
}

void TailCuts::make_tables() {
  Set pageable = 0;
  for (std::size_t q = 0; q < values_.tensors().size(); ++q) {
    if (!model_.paged[values_.tensors()[q]].is_zero()) pageable |= Set{1} << q;
  }
  for (std::size_t chosen = 0; chosen < std::size_t{1} << groups_.size(); ++chosen) {
    Set allowed = pageable;
    for (std::size_t c = 0; c < groups_.size(); ++c) {
      if ((chosen >> c & 1) == 0) allowed &= ~groups_[c];
    }
    tables_.push_back(values_.least(allowed));
  }
}

/// The shares of tensors in RAM when the tail starts, and after them the copies in each group.
std::vector<double> TailCuts::point(std::span<const double> values) const {
  const std::span<const int> tensors = values_.tensors();
  std::vector<double> point;
  for (const int i : tensors) {
    point.push_back(value_of(model_.resident(values_.stage(), i), values));
  }
  for (const Set group : groups_) {
    double copies = 0;
    for_each_bit(group, [&](int q) { copies += value_of(model_.paged[tensors[q]], values); });
    point.push_back(copies);
  }
  return point;
}

double TailCuts::spent(std::span<const double> values) const {
  double parts = 0;
  for_each_spent(model_, graph_, values_.stage(), values_.tensors(),
                 [&](Joules joules, const BinaryExpression& expression) {
                   parts += joules / values_.part() * value_of(expression, values);
                 });
  return parts;
}

/// Of the prices that the columns of the linear program stand for: least - prices <= known.least.
MilpRow TailCuts::limit(const Case& known) const {
  MilpRow row{.upper = known.least / kUnit, .terms = {{0, 1}}};
  const auto add = [&](Set prices, std::size_t first) {
    for_each_bit(prices, [&](int q) { row.terms.push_back({static_cast<int>(first) + q, -1}); });
  };
  add(known.resident, 1);
  add(known.groups, 1 + values_.tensors().size());
  return row;
}

/// The cases in which so much less than the claim is spent, and the least of all cases, which is
/// what these prices prove.
std::vector<TailCuts::Case> TailCuts::broken_by(std::span<const Energy> prices, Energy claim,
                                                std::int64_t& least) const {
  const auto price = [prices](Set set, std::size_t first) {
    std::int64_t sum = 0;
    for_each_bit(set, [&](int q) { sum += prices[first + q]; });
    return sum;
  };
  std::vector<std::int64_t> of_set;
  for (const Set set : values_.sets()) of_set.push_back(price(set, 0));
  std::vector<std::pair<std::int64_t, Case>> broken;
  least = kNoLimit;
  for (std::size_t chosen = 0; chosen < tables_.size(); ++chosen) {
    const std::int64_t of_groups = price(chosen, values_.tensors().size());
    for (std::size_t s = 0; s < of_set.size(); ++s) {
      const std::int64_t sum = tables_[chosen][s] + of_set[s] + of_groups;
      least = std::min(least, sum);
      if (sum >= claim) continue;
      broken.emplace_back(sum, Case{values_.sets()[s], chosen, tables_[chosen][s]});
    }
  }
  const std::size_t most = std::min(kCasesAtOnce, broken.size());
  std::partial_sort(broken.begin(), broken.begin() + static_cast<std::ptrdiff_t>(most),
                    broken.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Case> cases;
  for (std::size_t b = 0; b < most; ++b) cases.push_back(broken[b].second);
  return cases;
}

/// The prices come from a linear program over the cases, which enter as prices break them; what
/// they prove is counted over all cases in whole numbers.
std::optional<TailCut> TailCuts::separate(std::span<const double> values) {
  if (tables_.empty()) return std::nullopt;
  const std::vector<double> at = point(values);
  const double spent_now = spent(values);
  Milp milp;
  milp.add_column({.name = "least", .cost = -1, .lower = 0, .upper = kMostUnits, .integer = false});
  for (const double share : at) {
    milp.add_column({.name = "price",
                     .cost = share + kAgainstPrices,
                     .lower = 0,
                     .upper = kMostUnits / 64,
                     .integer = false});
  }
  LinearProgram program(milp);
  std::vector<MilpRow> limits;
  for (const Case& known : known_) limits.push_back(limit(known));
  program.add_rows(limits);
  std::vector<Energy> prices;
  std::int64_t least = 0;
  for (int round = 0; round < kMostRounds; ++round) {
    if (program.solve(kInfinity, kInfinity) != LinearProgram::Status::optimal) return std::nullopt;
    prices.clear();
    for (const double price : program.values().subspan(1)) {
      prices.push_back(static_cast<Energy>(std::ceil(price * kUnit)));
    }
    const auto claim = static_cast<Energy>(program.values()[0] * kUnit);
    if (claim - std::inner_product(at.begin(), at.end(), prices.begin(), 0.0) <
        spent_now + kWorthARow * kUnit) {
      return std::nullopt;
    }
    const std::vector<Case> broken = broken_by(prices, claim, least);
    if (broken.empty()) break;
    limits.clear();
    for (const Case& one : broken) limits.push_back(limit(one));
    program.add_rows(limits);
    known_.insert(known_.end(), broken.begin(), broken.end());
  }
  const Joules joules = values_.part();
  const std::span<const int> tensors = values_.tensors();
  TailCut cut{.stage = values_.stage(),
              .least_joules = static_cast<double>(least) * joules,
              .tensors = {tensors.begin(), tensors.end()},
              .resident = {},
              .paged = std::vector<Joules>(tensors.size(), 0)};
  for (std::size_t q = 0; q < tensors.size(); ++q) cut.resident.push_back(prices[q] * joules);
  for (std::size_t c = 0; c < groups_.size(); ++c) {
    for_each_bit(groups_[c], [&](int q) { cut.paged[q] = prices[tensors.size() + c] * joules; });
  }
  if (excess(to_row(model_, graph_, cut), values) <= 0) return std::nullopt;
  return cut;
}

MilpRow to_row(const Formulation& model, const Graph& graph, const TailCut& cut) {
  RowBuilder row("tail", cut.stage, static_cast<int>(cut.tensors.size()));
  for_each_spent(
      model, graph, cut.stage, cut.tensors,
      [&](Joules joules, const BinaryExpression& expression) { row.add(-joules, expression); });
  for (std::size_t q = 0; q < cut.tensors.size(); ++q) {
    row.add(-cut.resident[q], model.resident(cut.stage, cut.tensors[q]));
    row.add(-cut.paged[q], model.paged[cut.tensors[q]]);
  }
  MilpRow scaled = row.at_most_row(-cut.least_joules);
  scale_row(scaled);
  return scaled;
}

}  // namespace poet
