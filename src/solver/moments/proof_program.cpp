// A relaxation that grows by rows. All rows that were ever made stay in a pool, with the line of
// the certificate that each is, and enter when a point violates them. New rows are separated only
// where the pool has few that are violated. Rows are scaled by powers of two, so that no
// coefficient changes, and prices are scaled back before they are rounded.
//
// Clp is believed nowhere. Its status decides only what is tried next: a node is closed if prices,
// or a ray, prove it in whole numbers. Coarse prices are tried first, as they are shorter in the
// file.

#include "solver/moments/proof_program.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace poet {
namespace {

/// A leaf of whole prices needs a little more than the target, which rounding takes.
constexpr double kForRounding = 1e-6;
/// Of the prices of leaves, in units and in shares of the greatest: the first that proves counts,
/// as coarse prices are short. Prices of rows in bytes are small, and take the last.
constexpr int kExponents[] = {14, 6, -2, -10, -18, -26};
constexpr int kRayExponents[] = {-16, -32, -50};
constexpr double kRowViolation = 1e-4;     // of a row that is worth adding
constexpr double kRamViolation = 1e-3;     // of one on RAM, as the distance of the point from it
constexpr std::size_t kFewViolated = 300;  // violated rows below which rows are separated
constexpr int kLookIterations = 200;       // of one side of a branch that is only looked at
constexpr Seconds kLeastSeconds = 0.1;     // of a solve

/// Coefficients in bytes or units of time are brought below 2^11, exactly.
double scale_of(const ProofRow& row) {
  constexpr int kBits = 10;
  std::int64_t greatest = 1;
  for (const auto& [column, coefficient] : row.terms) {
    greatest = std::max(greatest, std::abs(coefficient));
  }
  const int bits = std::ilogb(static_cast<double>(greatest));
  return bits > kBits + 1 ? std::ldexp(1.0, kBits - bits) : 1;
}

MilpRow scaled(const ProofRow& row) {
  const double scale = scale_of(row);
  MilpRow added{.lower = scale * static_cast<double>(row.bound)};
  for (const auto& [column, coefficient] : row.terms) {
    added.terms.push_back(
        {.column = column, .coefficient = scale * static_cast<double>(coefficient)});
  }
  return added;
}

double missing_at(std::span<const double> values, const ProofRow& row) {
  double sum = 0;
  for (const auto& [column, coefficient] : row.terms) {
    sum += static_cast<double>(coefficient) * values[column];
  }
  return static_cast<double>(row.bound) - sum;
}

std::vector<double> rounded(std::span<const double> values) {
  std::vector<double> whole(values.size());
  std::ranges::transform(values, whole.begin(), [](double x) { return std::round(x); });
  return whole;
}

double unit_of(const ProofCosts& costs) {
  return costs.proves_infeasible() ? 1 : kProofTarget / static_cast<double>(costs.target);
}

Milp columns_of(const MomentModel& model, double unit) {
  Milp milp;
  for (std::size_t c = 0; c < model.size(); ++c) {
    const auto cost = static_cast<double>(model.cost(static_cast<ProofColumn>(c)));
    milp.columns.push_back({.cost = unit * cost});
  }
  return milp;
}

}  // namespace

ProofProgram::ProofProgram(const MomentModel& model, const ProofCosts& costs,
                           std::vector<ProofRow> rows, Seconds seconds, std::int64_t most_work)
    : model_(model),
      costs_(costs),
      unit_(unit_of(costs)),
      target_(costs.target),
      program_(columns_of(model, unit_)),
      clock_(seconds),
      most_work_(most_work),
      pool_(std::move(rows)),
      in_program_(pool_.size(), false) {
  std::vector<int> first;
  first.reserve(pool_.size());
  for (std::size_t r = 0; r < pool_.size(); ++r) {
    known_.insert(pool_[r].line);
    if (!pool_[r].rarely_tight) first.push_back(static_cast<int>(r));
  }
  enter(first);
}

ProofProgram::Outcome ProofProgram::solve() {
  const double most = costs_.proves_infeasible() ? kInfinity : (1 + kForRounding) * ceiling();
  const auto status = solve(most, std::max(kLeastSeconds, clock_.remaining()));
  if (expired()) return Outcome::failed;
  if (status != LinearProgram::Status::optimal) {
    if (is_closed()) return Outcome::closed;
    // Clp passed the ceiling, or found no point, on prices that do not prove it.
    if (solve(kInfinity, clock_.remaining()) != LinearProgram::Status::optimal) {
      return is_closed() ? Outcome::closed : Outcome::failed;
    }
  }
  return closes(program_.prices()) ? Outcome::closed : Outcome::open;
}

LinearProgram::Status ProofProgram::solve(double ceiling, Seconds seconds) {
  const auto status =
      program_.solve(ceiling, seconds, work_.iterations_until(most_work_, model_.size()));
  work_.add_iterations(program_.iterations(), model_.size());
  return status;
}

bool ProofProgram::add_violated_rows(bool whole) {
  const std::span<const double> now = program_.values();
  const std::vector<double> values = whole ? rounded(now) : std::vector(now.begin(), now.end());
  std::vector<int> violated;
  for (std::size_t r = 0; r < pool_.size(); ++r) {
    if (in_program_[r]) continue;
    work_.add_round(pool_[r].terms.size());
    const double missing = missing_at(values, pool_[r]);
    if (scale_of(pool_[r]) * missing > kRowViolation) violated.push_back(static_cast<int>(r));
  }
  if (violated.size() < kFewViolated) {
    for (ProofRow& row : violated_paths(model_, values)) take(std::move(row), violated);
    const double least = whole ? 0 : kRamViolation;
    for (ProofRow& row : violated_ram(model_, values, least)) take(std::move(row), violated);
  }
  enter(violated);
  return !violated.empty();
}

void ProofProgram::take(ProofRow row, std::vector<int>& violated) {
  if (!known_.insert(row.line).second) return;
  violated.push_back(static_cast<int>(pool_.size()));
  pool_.push_back(std::move(row));
  in_program_.push_back(false);
}

void ProofProgram::remove_slack_rows() {
  std::vector<int> slack = program_.slack_rows();
  std::erase_if(slack, [this](int position) { return rows_[position] < 0; });
  remove(slack);
}

double ProofProgram::gain(const ProofRow& row) {
  const double before = program_.bound();
  const std::vector<unsigned char> basis = program_.basis();
  const MilpRow added = scaled(row);
  program_.add_rows(std::span(&added, 1));
  const auto status =
      program_.solve((1 + kForRounding) * ceiling(), clock_.remaining(), kLookIterations);
  double reached = before;
  if (status == LinearProgram::Status::optimal) reached = program_.bound();
  if (status == LinearProgram::Status::infeasible) reached = ceiling();
  const int last = program_.rows() - 1;
  program_.remove_rows(std::span(&last, 1));
  program_.set_basis(basis);
  return std::clamp(reached - before, 0.0, std::max(0.0, ceiling() - before));
}

void ProofProgram::push_branch(ProofRow row) {
  branches_.push_back(std::make_shared<const ProofRow>(std::move(row)));
  const int number = -static_cast<int>(branches_.size());
  enter(std::span(&number, 1));
}

// Rows and basis together: with other rows the basis of a node would not fit its program.
void ProofProgram::return_to(const Place& place) {
  std::vector<int> every(rows_.size());
  std::iota(every.begin(), every.end(), 0);
  remove(every);
  branches_ = place.branches;
  enter(place.rows);
  program_.set_basis(place.basis);
  units_ = place.units;
}

void ProofProgram::enter(std::span<const int> numbers) {
  std::vector<MilpRow> rows;
  rows.reserve(numbers.size());
  for (const int number : numbers) {
    rows.push_back(scaled(row(number)));
    if (number >= 0) in_program_[number] = true;
    rows_.push_back(number);
  }
  if (!rows.empty()) program_.add_rows(rows);
}

/// The positions ascend.
void ProofProgram::remove(const std::vector<int>& positions) {
  if (positions.empty()) return;
  program_.remove_rows(positions);
  std::vector<int> kept;
  auto next = positions.begin();
  for (std::size_t position = 0; position < rows_.size(); ++position) {
    const int number = rows_[position];
    if (next == positions.end() || *next != static_cast<int>(position)) {
      kept.push_back(number);
      continue;
    }
    if (number >= 0) in_program_[number] = false;
    ++next;
  }
  rows_ = std::move(kept);
}

std::vector<const ProofRow*> ProofProgram::proof_rows() const {
  std::vector<const ProofRow*> rows;
  rows.reserve(rows_.size());
  for (const int number : rows_) rows.push_back(&row(number));
  return rows;
}

/// The prices of the program's rows as prices of the rows behind them, times a factor.
std::vector<double> ProofProgram::of_proof_rows(std::span<const double> prices,
                                                double factor) const {
  std::vector<double> unscaled;
  unscaled.reserve(prices.size());
  for (std::size_t r = 0; r < prices.size(); ++r) {
    unscaled.push_back(prices[r] * scale_of(row(rows_[r])) * factor);
  }
  return unscaled;
}

bool ProofProgram::is_closed() {
  if (closes(program_.prices())) return true;
  if (!program_.ray().empty() && closes_as_conflict(program_.ray())) return true;
  const std::vector<double> prices = program_.prices_of_conflict(clock_.remaining());
  return !prices.empty() && closes_as_conflict(prices);
}

/// Whether these prices, rounded, prove the target.
bool ProofProgram::closes(std::span<const double> prices) {
  if (costs_.proves_infeasible()) return false;
  const std::vector<double> in_units = of_proof_rows(prices, 1 / unit_);
  const std::vector<const ProofRow*> rows = proof_rows();
  for (const int exponent : kExponents) {
    WholePrices whole = whole_prices(in_units, exponent);
    const std::int64_t units = proven_units(model_, rows, whole);
    const bool proves = units >= target_;
    if (!proves && units <= units_) continue;
    units_ = units;
    keep_leaf(false, std::move(whole));
    if (proves) return true;
  }
  return false;
}

bool ProofProgram::closes_as_conflict(std::span<const double> prices) {
  std::vector<double> relative = of_proof_rows(prices, 1);
  const double greatest =
      relative.empty() ? 0 : *std::max_element(relative.begin(), relative.end());
  if (!(greatest > 0)) return false;
  for (double& price : relative) price /= greatest;
  return proves_conflict(relative);
}

/// Whether prices of at most about 1, rounded, prove that no point satisfies the rows.
bool ProofProgram::proves_conflict(std::span<const double> prices) {
  const std::vector<const ProofRow*> rows = proof_rows();
  for (const int exponent : kRayExponents) {
    WholePrices whole = whole_prices(prices, exponent);
    if (!proves_no_point(model_, rows, whole)) continue;
    keep_leaf(true, std::move(whole));
    return true;
  }
  return false;
}

// As an objective a row is decided to 16 digits, and as a row to the seven of Clp's tolerances.
// A conflict needs a row that the point, made whole, does not satisfy.
bool ProofProgram::closes_at_an_edge() {
  const std::vector<double> whole = rounded(program_.values());
  for (std::size_t position = 0; position < rows_.size() && !clock_.expired(); ++position) {
    if (missing_at(whole, row(rows_[position])) <= 0) continue;
    const std::vector<double> prices = prices_at_edge(position);
    if (!prices.empty() && proves_conflict(prices)) return true;
  }
  return false;
}

/// The prices of the other rows at the point that comes closest to a row, and its own. All are
/// divided by a power of two, so that its own stays exact.
std::vector<double> ProofProgram::prices_at_edge(std::size_t position) {
  const MilpRow edge = scaled(row(rows_[position]));
  Milp others = columns_of(model_, 0);
  for (const MilpTerm& term : edge.terms) others.columns[term.column].cost = -term.coefficient;
  for (const int number : rows_) others.rows.push_back(scaled(row(number)));
  others.rows[position].lower = -kInfinity;
  LinearProgram program(others);
  if (program.solve(kInfinity, clock_.remaining()) != LinearProgram::Status::optimal) return {};
  std::vector<double> prices(program.prices().begin(), program.prices().end());
  prices[position] = 1;
  prices = of_proof_rows(prices, 1);
  const int bits = std::ilogb(*std::max_element(prices.begin(), prices.end()));
  for (double& price : prices) price = std::ldexp(price, -bits);
  return prices;
}

/// With the numbers of rows for their positions, which change.
void ProofProgram::keep_leaf(bool is_conflict, WholePrices prices) {
  for (auto& [position, price] : prices.of_rows) position = rows_[position];
  leaf_ = {.is_conflict = is_conflict, .prices = std::move(prices)};
}

}  // namespace poet
