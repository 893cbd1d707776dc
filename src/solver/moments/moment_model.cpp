// The columns of docs/certificate-format.md, "Which columns exist". Both sides have to leave out
// the same columns, as the checker adds up a leaf over the columns that it knows itself. So this
// file follows the page definition by definition, and does not share the windows of the
// formulation, which rest on arguments about best schedules that a certificate would have to prove.
//
// A series is a shortest path along the readers of a node, against the order of the nodes: one pass
// over the edges. Without RAM for writing a series starts only after each moment. With it, an idle
// recomputation leads to the series two stages later, so that every stage has one, and the last
// three are kept.

#include "solver/moments/moment_model.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace poet {
namespace {

constexpr std::int64_t kInfinite = ProofCosts::kDear;
/// Units in a target: rounding costs down loses 2^-36 of it for each event of a schedule.
constexpr int kTargetBits = 36;
/// Units in a whole energy, finer than its double, and how much finer they may be.
constexpr int kWholeBits = 60;
constexpr int kMostFiner = 40;

std::int64_t sum(std::int64_t a, std::int64_t b) {
  return std::min(a + b, kInfinite);
}

std::int64_t in_units(double joules, int shift) {
  const double units = std::floor(std::ldexp(joules, shift));
  return units < static_cast<double>(kInfinite) ? static_cast<std::int64_t>(units) : kInfinite;
}

/// A double as a whole number of units, exactly: rounded up or down.
Wide whole(double joules, int shift, bool up) {
  const double units = std::ldexp(joules, shift);
  return static_cast<Wide>(up ? std::ceil(units) : std::floor(units));
}

Wide baseline_units(const Graph& graph, int shift) {
  Wide units = 0;
  for (const Node& node : graph.nodes) units += whole(node.energy_joules, shift, false);
  return units;
}

void set_costs(const Graph& graph, ProofCosts& costs) {
  for (const Node& node : graph.nodes) {
    costs.compute.push_back(in_units(node.energy_joules, costs.shift));
    costs.page_in.push_back(in_units(node.page_in_energy_joules, costs.shift));
    costs.page_out.push_back(in_units(node.page_out_energy_joules, costs.shift));
  }
}

}  // namespace

// The finer the units, the less is lost by rounding costs down. The target has 36 bits; the whole
// energy may then have up to 100, which a Wide holds.
ProofCosts costs_for_claim(const Graph& graph, Joules claim) {
  long double least = 0;
  for (const Node& node : graph.nodes) least += node.energy_joules;
  const long double extra = claim - least;
  ProofCosts costs;
  // A claim below the baseline takes units in which the two differ, but no smaller ones than a
  // whole number can hold the baseline in.
  if (claim > 0) {
    const int whole_bits = kWholeBits - std::ilogb(std::max<long double>(least, claim));
    const int bits = extra > 0 ? kTargetBits - std::ilogb(extra) : whole_bits;
    costs.shift = std::clamp(std::min(bits, whole_bits + kMostFiner), -1000, 1000);
  }
  costs.target = std::max<std::int64_t>(0, target_for_claim(graph, costs, claim));
  set_costs(graph, costs);
  return costs;
}

std::int64_t target_for_claim(const Graph& graph, const ProofCosts& costs, Joules claim) {
  const Wide target = whole(claim, costs.shift, true) - baseline_units(graph, costs.shift);
  return static_cast<std::int64_t>(std::clamp<Wide>(target, -kInfinite, kInfinite - 1));
}

// At any cost, so that nothing is too dear.
ProofCosts costs_for_infeasible(const Graph& graph) {
  const std::vector<std::int64_t> nothing(graph.size(), 0);
  return {.compute = nothing, .page_in = nothing, .page_out = nothing};
}

// The nearest double may be above the bound, and a claim is exact: then the next one below is
// stated.
Joules claim_of_bound(const Graph& graph, const ProofCosts& costs, std::int64_t units) {
  const Wide all = baseline_units(graph, costs.shift) + units;
  double claim = std::ldexp(static_cast<double>(all), -costs.shift);
  while (claim > 0 && whole(claim, costs.shift, true) > all) claim = std::nextafter(claim, 0);
  return claim;
}

ProofCosts costs_for_less(const Graph& graph, const ProofCosts& costs, std::int64_t units) {
  ProofCosts less = costs;
  less.target = target_for_claim(graph, costs, claim_of_bound(graph, costs, units));
  return less;
}

ProofRow& ProofRow::add(std::int64_t coefficient, ProofColumn column) {
  if (column == kCertain) {
    bound -= coefficient;
  } else if (column != kAbsent) {
    terms.emplace_back(column, coefficient);
  }
  return *this;
}

bool ProofRow::finish() {
  std::sort(terms.begin(), terms.end());
  std::vector<std::pair<ProofColumn, std::int64_t>> merged;
  for (const auto& [column, coefficient] : terms) {
    if (!merged.empty() && merged.back().first == column) {
      merged.back().second += coefficient;
    } else {
      merged.emplace_back(column, coefficient);
    }
  }
  std::erase_if(merged, [](const auto& term) { return term.second == 0; });
  terms = std::move(merged);
  Wide least = 0;
  for (const auto& [column, coefficient] : terms) least += std::min<std::int64_t>(0, coefficient);
  return least < bound;
}

MomentModel::MomentModel(const Problem& problem, const ProofCosts& costs,
                         const std::vector<int>& moments, bool writes)
    : problem_(problem), costs_(costs), writes_(writes) {
  const int size = graph().size();
  for (const int moment : moments) {
    if (!intervals_.empty()) intervals_.back().next = moment;
    intervals_.push_back({.stage = moment, .next = size - 1});
  }
  ever_paged_.assign(size, kAbsent);
  for (int i = 0; i + 4 <= size; ++i) {
    const std::int64_t cost = sum(costs_.page_in[i], costs_.page_out[i]);
    if (!problem_.limits.techniques.paging || !node(i).page || !is_affordable(cost)) continue;
    ever_paged_[i] = add('P', 0, i, costs_.page_out[i]);
  }
  const std::vector<Series> series = all_series();
  for (std::size_t w = 0; w < intervals_.size(); ++w) make_columns(intervals_[w], series[w]);
  for (std::size_t w = intervals_.size(); w-- > 0;) {
    ProofInterval& now = intervals_[w];
    now.recomputed_ever = now.recomputed;
    now.paged_in_ever = now.paged_in;
    if (w + 1 == intervals_.size()) continue;
    const ProofInterval& later = intervals_[w + 1];
    cumulate(now.recomputed_ever, later.recomputed_ever, 'Z', now.stage);
    cumulate(now.paged_in_ever, later.paged_in_ever, 'Y', now.stage);
  }
}

/// The series from the stage after each moment. An idle recomputation leads two stages on,
/// so it takes the series of every stage.
std::vector<MomentModel::Series> MomentModel::all_series() const {
  std::vector<Series> at_moments(intervals_.size());
  if (!writes_) {
    for (std::size_t w = 0; w < intervals_.size(); ++w) {
      at_moments[w] = series_from(intervals_[w].stage + 1, nullptr);
    }
    return at_moments;
  }
  Series next;
  Series after_next;
  auto interval = intervals_.rbegin();
  for (int stage = graph().size(); stage > intervals_.front().stage; --stage) {
    Series now = series_from(stage, after_next.use.empty() ? nullptr : &after_next);
    if (interval != intervals_.rend() && interval->stage + 1 == stage) {
      at_moments[intervals_.rend() - interval - 1] = now;
      ++interval;
    }
    after_next = std::exchange(next, std::move(now));
  }
  return at_moments;
}

MomentModel::Series MomentModel::series_from(int stage, const Series* two_stages_later) const {
  const TechniqueSet& techniques = problem_.limits.techniques;
  const bool idle = two_stages_later != nullptr && techniques.paging && !overlaps();
  Series series{.use = std::vector<std::int64_t>(stage, kInfinite),
                .after_idle = std::vector<std::int64_t>(stage, kInfinite)};
  for (int i = stage - 1; i >= 0; --i) {
    for (const int input : node(i).inputs) {
      if (!idle || !node(input).page) continue;
      const std::int64_t copy = sum(costs_.page_in[input], costs_.page_out[input]);
      series.after_idle[i] =
          std::min(series.after_idle[i], sum(copy, two_stages_later->use[input]));
    }
    for (const int j : graph().users[i]) {
      if (j >= stage) {
        series.use[i] = 0;
      } else if (techniques.remat && graph().last_stage[j] >= stage) {
        const std::int64_t after = std::min(series.use[j], series.after_idle[j]);
        series.use[i] = std::min(series.use[i], sum(costs_.compute[j], after));
      }
    }
  }
  return series;
}

void MomentModel::make_columns(ProofInterval& interval, const Series& series) {
  const TechniqueSet& techniques = problem_.limits.techniques;
  const int b = interval.stage;
  const bool goes_on = b < interval.next;
  interval.in_ram.assign(b + 1, kAbsent);
  interval.recomputed.assign(b + 1, kAbsent);
  interval.paged_in.assign(b + 1, kAbsent);
  interval.in_ram[b] = kCertain;
  for (const int i : node(b).inputs) {
    if (node(b).in_place != i) interval.in_ram[i] = kCertain;
  }
  for (int i = 0; i <= b; ++i) {
    const std::int64_t use = series.use[i];
    const std::int64_t any_use = std::min(use, series.after_idle[i]);
    if (goes_on && techniques.remat && graph().last_stage[i] > b &&
        is_affordable(sum(costs_.compute[i], any_use))) {
      interval.recomputed[i] = add('R', b, i, costs_.compute[i]);
    }
    if (interval.in_ram[i] == kCertain) continue;
    if (is_affordable(use)) interval.in_ram[i] = add('S', b, i, 0);
    const std::int64_t copy = sum(costs_.page_in[i], costs_.page_out[i]);
    if (goes_on && ever_paged_[i] != kAbsent && interval.next >= i + 3 &&
        is_affordable(sum(copy, use))) {
      interval.paged_in[i] = add('I', b, i, costs_.page_in[i]);
    }
  }
  make_first_written(interval, series);
}

void MomentModel::make_first_written(ProofInterval& interval, const Series& series) {
  const int b = interval.stage;
  interval.first_written.assign(graph().size(), kAbsent);
  if (!writes_ || b == interval.next) return;
  for (int i = 0; i < interval.next; ++i) {
    if (ever_paged_[i] == kAbsent) continue;
    const std::int64_t copy = sum(costs_.page_in[i], costs_.page_out[i]);
    if (i <= b && !is_affordable(sum(copy, series.use[i]))) continue;
    interval.first_written[i] = add('O', b, i, 0);
  }
}

void MomentModel::cumulate(std::vector<ProofColumn>& now, const std::vector<ProofColumn>& later,
                           char fact, int stage) {
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (later[i] == kAbsent) continue;
    now[i] = now[i] == kAbsent ? later[i] : add(fact, stage, static_cast<int>(i), 0);
  }
}

ProofColumn MomentModel::add(char fact, int stage, int i, std::int64_t cost) {
  costs_of_.push_back(cost);
  names_.push_back(fmt::format("{} {} {}", fact, stage, i));
  return static_cast<ProofColumn>(size()) - 1;
}

Bytes MomentModel::free_at(const ProofInterval& interval) const {
  Bytes free = problem_.limits.ram_budget_bytes - node(interval.stage).workspace_bytes;
  for (int i = 0; i <= interval.stage; ++i) {
    if (interval.in_ram[i] == kCertain) free -= node(i).bytes;
  }
  return free;
}

bool MomentModel::is_read_in(const ProofInterval& interval, int i) const {
  const std::vector<int>& users = graph().users[i];
  const auto user = std::upper_bound(users.begin(), users.end(), interval.stage);
  return user != users.end() && *user <= interval.next;
}

}  // namespace poet
