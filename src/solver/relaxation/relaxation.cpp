#include "solver/relaxation/relaxation.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "solver/milp/scaling.hpp"

namespace poet {
namespace {

// Separating cuts takes about as long as a solve, and a point that still violates many rows of the
// model tells little about the cuts that will bind. So cuts wait until the point nearly satisfies
// the model.
constexpr double kRowTolerance = 1e-5;        // distance of a point from a row that is worth adding
constexpr std::size_t kMaxRows = 2000;        // rows that enter at once
constexpr std::size_t kNearlyFeasible = 600;  // violated rows below which cuts are separated
constexpr double kPastShare = 0.5;            // of past optima, in a point inside

Milp columns_only(const Milp& milp) {
  return {.columns = milp.columns};
}

}  // namespace

Relaxation::RowPool::RowPool(const std::vector<MilpRow>& rows, const Formulation& model,
                             const Graph& graph)
    : rows_(rows), on_demand_(model, graph), active_(rows.size() + on_demand_.size(), false) {
  norms_.reserve(rows.size());
  for (const MilpRow& row : rows) norms_.push_back(norm(row));
}

std::vector<int> Relaxation::RowPool::often_tight() const {
  std::vector<int> rows;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    if (!rows_[r].rarely_tight) rows.push_back(static_cast<int>(r));
  }
  return rows;
}

/// The deepest first, because only so many enter at once. Depth is the Euclidean distance of the
/// point from the row: rows in units of memory and rows of ones would not compare otherwise.
std::vector<int> Relaxation::RowPool::violated(std::span<const double> values) {
  std::vector<std::pair<double, int>> found;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    if (active_[r]) continue;
    const double beyond = excess(rows_[r], values);
    if (beyond > kRowTolerance * norms_[r]) found.emplace_back(-beyond / norms_[r], r);
  }
  const auto skip = [this](int number) { return active_[rows_.size() + number]; };
  for (NumberedRow& row : on_demand_.violated(values, kRowTolerance, skip)) {
    const int r = static_cast<int>(rows_.size()) + row.number;
    found.emplace_back(-row.depth, r);
    made_.insert_or_assign(r, std::move(row.row));
  }
  std::sort(found.begin(), found.end());
  std::vector<int> chosen;
  chosen.reserve(found.size());
  for (const auto& [violation, r] : found) chosen.push_back(r);
  return chosen;
}

const MilpRow& Relaxation::RowPool::operator[](int row) {
  const int known = static_cast<int>(rows_.size());
  if (row < known) return rows_[row];
  const auto made = made_.find(row);
  if (made != made_.end()) return made->second;
  return made_.emplace(row, on_demand_.make(row - known)).first->second;
}

Relaxation::Relaxation(const Formulation& model, const Graph& graph, const Milp& milp,
                       const SolverFeatures& features, const Separation& separation)
    : model_(model),
      graph_(graph),
      features_(features),
      separation_(separation),
      pool_(milp.rows, model, graph),
      program_(columns_only(milp)) {}

void Relaxation::start(const std::vector<int>& rows, std::vector<Cut> cuts) {
  add_pool_rows(rows.empty() ? pool_.often_tight() : rows);
  add_cuts(std::move(cuts));
}

LinearProgram::Status Relaxation::solve(double ceiling, Seconds seconds, std::int64_t iterations) {
  return program_.solve(ceiling, seconds, iterations);
}

bool Relaxation::add_violated_rows() {
  std::vector<int> violated = pool_.violated(program_.values());
  std::vector<Cut> cuts;
  if (violated.size() < kNearlyFeasible) cuts = separate();
  if (violated.size() > kMaxRows) violated.resize(kMaxRows);
  if (violated.empty() && cuts.empty()) return false;
  add_pool_rows(violated);
  add_cuts(std::move(cuts));
  return true;
}

std::vector<Cut> Relaxation::separate() {
  std::vector<Cut> cuts;
  const auto take = [&cuts](auto found) {
    std::move(found.begin(), found.end(), std::back_inserter(cuts));
  };
  if (features_.precedence_cuts) take(separate_paths());
  if (features_.knapsack_cuts) take(separate_knapsacks(model_, graph_, program_.values()));
  return cuts;
}

std::vector<PrecedenceCut> Relaxation::separate_paths() {
  std::vector<PrecedenceCut> cuts;
  if (separation_.inside) cuts = separate_inside();
  SeparationLimits limits = separation_.limits;
  limits.total -= static_cast<int>(cuts.size());
  if (2 * limits.total < separation_.limits.total) return cuts;
  for (PrecedenceCut& cut : separate_precedence(model_, graph_, program_.values(), limits)) {
    cuts.push_back(std::move(cut));
  }
  return cuts;
}

/// The cuts at the mean of past optima that the present one violates as well.
std::vector<PrecedenceCut> Relaxation::separate_inside() {
  const auto values = program_.values();
  if (inside_.empty()) inside_.assign(values.begin(), values.end());
  for (std::size_t c = 0; c < inside_.size(); ++c) {
    inside_[c] = kPastShare * inside_[c] + (1 - kPastShare) * values[c];
  }
  std::vector<PrecedenceCut> cuts =
      separate_precedence(model_, graph_, inside_, separation_.limits);
  std::erase_if(cuts, [&](const PrecedenceCut& cut) {
    return excess(to_row(model_, graph_, cut), values) <= separation_.limits.tolerance;
  });
  return cuts;
}

void Relaxation::add_pool_rows(const std::vector<int>& chosen) {
  std::vector<MilpRow> rows;
  for (const int r : chosen) {
    rows.push_back(pool_[r]);
    origins_.push_back({.pool_row = r});
    pool_.set_active(r, true);
  }
  program_.add_rows(rows);
}

void Relaxation::add_cuts(std::vector<Cut> cuts) {
  std::vector<MilpRow> rows;
  for (Cut& cut : cuts) {
    rows.push_back(to_row(model_, graph_, cut));
    origins_.push_back({.cut = static_cast<int>(cuts_.size())});
    cuts_.push_back(std::move(cut));
  }
  program_.add_rows(rows);
}

/// A range of a count enters once; later nodes move its bounds, which keeps the basis valid.
void Relaxation::set_row(int number, const MilpRow& row) {
  const auto known = std::find_if(origins_.begin(), origins_.end(),
                                  [&](const Origin& origin) { return origin.number == number; });
  if (known != origins_.end()) {
    program_.set_row_bounds(static_cast<int>(known - origins_.begin()), row.lower, row.upper);
    return;
  }
  origins_.push_back({.number = number});
  program_.add_rows({&row, 1});
}

Relaxation::Snapshot Relaxation::snapshot(int known_cuts) const {
  Snapshot snapshot{
      .origins = origins_, .known_cuts = known_cuts, .cuts = {}, .basis = program_.basis()};
  for (Origin& origin : snapshot.origins) {
    if (origin.cut < known_cuts) continue;
    snapshot.cuts.push_back(cuts_[origin.cut]);
    origin.cut = known_cuts + static_cast<int>(snapshot.cuts.size()) - 1;
  }
  return snapshot;
}

void Relaxation::adopt(Snapshot& snapshot) {
  const int moved = cuts() - snapshot.known_cuts;
  for (Origin& origin : snapshot.origins) {
    if (origin.cut >= snapshot.known_cuts) origin.cut += moved;
  }
  cuts_.insert(cuts_.end(), snapshot.cuts.begin(), snapshot.cuts.end());
  snapshot.known_cuts = cuts();
  snapshot.cuts.clear();
}

/// Removes all rows and adds the rows of the snapshot in its order: a basis knows rows by position.
void Relaxation::restore(const Snapshot& snapshot,
                         const std::function<MilpRow(int number)>& own_row) {
  std::vector<int> all(origins_.size());
  std::iota(all.begin(), all.end(), 0);
  program_.remove_rows(all);
  for (const Origin& origin : origins_) {
    if (origin.pool_row >= 0) pool_.set_active(origin.pool_row, false);
  }
  origins_ = snapshot.origins;
  std::vector<MilpRow> rows;
  for (const Origin& origin : origins_) {
    if (origin.pool_row >= 0) {
      rows.push_back(pool_[origin.pool_row]);
      pool_.set_active(origin.pool_row, true);
    } else if (origin.cut >= 0) {
      rows.push_back(to_row(model_, graph_, cuts_[origin.cut]));
    } else {
      MilpRow row = own_row(origin.number);
      row.lower = -kInfinity;
      row.upper = kInfinity;
      rows.push_back(std::move(row));
    }
  }
  program_.add_rows(rows);
  program_.set_basis(snapshot.basis);
}

/// Ranges of counts stay even if they are slack: the next node sets them again.
void Relaxation::remove_slack_rows() {
  std::vector<int> removed;
  for (const int r : program_.slack_rows()) {
    if (origins_[r].number < 0) removed.push_back(r);
  }
  program_.remove_rows(removed);
  std::vector<Origin> kept;
  auto next = removed.begin();
  for (std::size_t r = 0; r < origins_.size(); ++r) {
    if (next != removed.end() && *next == static_cast<int>(r)) {
      ++next;
      if (origins_[r].pool_row >= 0) pool_.set_active(origins_[r].pool_row, false);
    } else {
      kept.push_back(origins_[r]);
    }
  }
  origins_ = std::move(kept);
}

std::vector<int> Relaxation::active_rows() const {
  std::vector<int> rows;
  for (const Origin& origin : origins_) {
    if (origin.pool_row >= 0) rows.push_back(origin.pool_row);
  }
  return rows;
}

std::vector<Cut> Relaxation::active_cuts() const {
  std::vector<Cut> cuts;
  for (const Origin& origin : origins_) {
    if (origin.cut >= 0) cuts.push_back(cuts_[origin.cut]);
  }
  return cuts;
}

}  // namespace poet
