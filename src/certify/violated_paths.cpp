// The rows `path`: what is in RAM was there at an earlier moment, or was paged in since, or was
// computed again since from inputs of which the same holds. For each first moment one pass over the
// nodes in their order finds the cheapest path from every node.

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "certify/moment_rows.hpp"

namespace poet {
namespace {

constexpr double kPathViolation = 1e-3;
constexpr std::size_t kMostPaths = 1000;
constexpr double kNever = std::numeric_limits<double>::infinity();

class PathSeparator {
 public:
  PathSeparator(const MomentModel& model, std::span<const double> values)
      : model_(model), intervals_(model.intervals()), values_(values) {}

  std::vector<ProofRow> run() {
    std::vector<std::pair<double, ProofRow>> found;
    for (std::size_t a = 0; a < intervals_.size(); ++a) {
      start(a);
      for (std::size_t b = a; b < intervals_.size(); ++b) {
        advance(b);
        look(a, b);
      }
      for (auto& best : best_) {
        if (best.first > kPathViolation) found.push_back(std::move(best));
      }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& x, const auto& y) { return x.first > y.first; });
    if (found.size() > kMostPaths) found.resize(kMostPaths);
    std::vector<ProofRow> rows;
    rows.reserve(found.size());
    for (auto& [violation, row] : found) rows.push_back(std::move(row));
    return rows;
  }

 private:
  double value(ProofColumn column) const { return value_at(values_, column); }

  double copy(int i) const {
    const ProofColumn paged = model_.ever_paged()[i];
    return paged == kAbsent ? kNever : value(paged);
  }

  void start(std::size_t a) {
    const std::size_t nodes = intervals_[a].in_ram.size();
    paged_in_.assign(nodes, 0);
    recomputed_.assign(nodes, 0);
    cost_.assign(nodes, 0);
    next_.assign(nodes, -1);
    best_.assign(nodes, {});
    held_.clear();
    held_.reserve(nodes);
    for (const ProofColumn column : intervals_[a].in_ram) held_.push_back(value(column));
  }

  std::pair<double, int> cheapest_input(int i) const {
    std::pair<double, int> best{kNever, -1};
    for (const int input : model_.node(i).inputs) best = std::min(best, {cost_[input], input});
    return best;
  }

  /// Extends the period to interval b.
  void advance(std::size_t b) {
    const ProofInterval& first = intervals_[b];
    for (int i = 0; i < static_cast<int>(cost_.size()); ++i) {
      paged_in_[i] += value(first.paged_in[i]);
      recomputed_[i] += value(first.recomputed[i]);
      const auto [cheapest, input] = cheapest_input(i);
      const bool goes_on = cheapest < recomputed_[i];
      next_[i] = goes_on ? input : -1;
      cost_[i] = held_[i] + std::min(paged_in_[i], copy(i)) + (goes_on ? cheapest : recomputed_[i]);
    }
  }

  void look(std::size_t a, std::size_t b) {
    const ProofInterval& last = intervals_[b];
    for (int i = 0; i < static_cast<int>(cost_.size()); ++i) {
      if (model_.is_read_in(last, i)) {
        consider(a, b, i, "1", kCertain);
      } else if (b + 1 < intervals_.size()) {
        consider(a, b, i, "S", intervals_[b + 1].in_ram[i]);
      }
      if (last.recomputed[i] == kAbsent || a == b) continue;
      const auto [cheapest, input] = cheapest_input(i);
      if (input >= 0) consider(a, b, input, fmt::format("R{}", i), last.recomputed[i]);
    }
  }

  void consider(std::size_t a, std::size_t b, int i, std::string need, ProofColumn needed) {
    const double violation = value(needed) - cost_[i];
    if (violation <= std::max(best_[i].first, kPathViolation)) return;
    ProofRow row{.line = fmt::format("path {} {} {}", intervals_[a].stage, intervals_[b].stage,
                                     std::move(need))};
    row.add(-1, needed);
    int end = i;
    for (int node = i; node >= 0; node = next_[node]) {
      end = node;
      const bool by_copy = copy(node) < paged_in_[node];
      row.line += fmt::format(" {}{}", by_copy ? "P" : "", node);
      row.add(1, intervals_[a].in_ram[node]);
      if (by_copy) row.add(1, model_.ever_paged()[node]);
      for (std::size_t v = a; v <= b && !by_copy; ++v) row.add(1, intervals_[v].paged_in[node]);
    }
    for (std::size_t v = a; v <= b; ++v) row.add(1, intervals_[v].recomputed[end]);
    if (row.finish()) best_[i] = {violation, std::move(row)};
  }

  const MomentModel& model_;
  const std::vector<ProofInterval>& intervals_;
  std::span<const double> values_;
  std::vector<double> held_;        // S at the first moment
  std::vector<double> paged_in_;    // sum of I over the period
  std::vector<double> recomputed_;  // sum of R, likewise
  std::vector<double> cost_;        // right-hand side of the best path from a node
  std::vector<int> next_;           // its next node, or -1
  std::vector<std::pair<double, ProofRow>> best_;
};

}  // namespace

std::vector<ProofRow> violated_paths(const MomentModel& model, std::span<const double> values) {
  return PathSeparator(model, values).run();
}

}  // namespace poet
