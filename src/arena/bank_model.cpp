// What all searches over banks share. A bank is an arena like any other, so the search for offsets
// finds the offsets within it; what is new is only which buffers are in which bank.

#include "arena/bank_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "poet/error.hpp"
#include "problem/alignment.hpp"

namespace poet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void check_problem(const BankProblem& problem) {
  const auto count = problem.buffers.size();
  if (problem.traffic.size() != count) throw InputError("expected the traffic of every buffer");
  for (std::size_t b = 0; b < count; ++b) {
    if (problem.traffic[b] >= 0) continue;
    throw InputError(fmt::format("buffer {} has {} bytes of traffic; expected none or more", b,
                                 problem.traffic[b]));
  }
  if (problem.banks.empty()) throw InputError("expected at least one bank");
  for (const Bank& bank : problem.banks) {
    if (bank.bytes >= 0 && bank.cost_per_byte >= 0 && std::isfinite(bank.cost_per_byte)) continue;
    throw InputError(
        fmt::format("found a bank of {} bytes and a cost of {} for each; expected 0 or "
                    "more of both",
                    bank.bytes, bank.cost_per_byte));
  }
  const std::span<const Buffer> all(problem.buffers);
  for (const Buffer& kept : all.last(problem.kept)) {
    const bool is_whole = std::all_of(all.begin(), all.end(), [&](const Buffer& other) {
      return kept.lower <= other.lower && other.upper <= kept.upper;
    });
    if (!is_whole) throw InputError("a buffer that is kept does not live all the time");
  }
  for (const int bank : problem.pinned) {
    if (bank >= -1 && bank < static_cast<int>(problem.banks.size())) continue;
    throw InputError(fmt::format("a buffer is pinned to bank {}, which does not exist", bank));
  }
}

/// What the bytes in a bank are multiples of, however they are put together.
Bytes common_divisor(const BankProblem& problem, const BankModel& model) {
  Bytes divisor = model.rounding;
  for (int b = model.first_kept; b < model.buffers(); ++b) {
    divisor = std::gcd(divisor, problem.buffers[b].bytes);
  }
  return divisor;
}

}  // namespace

double BankModel::least_cost(int buffer) const {
  const auto first = costs.begin() + std::ptrdiff_t{buffer} * banks();
  return *std::min_element(first, first + banks());
}

Bytes BankModel::room(int bank, Bytes kept) const {
  const Bytes left = capacities[bank] - kept;
  return left < 0 ? left : left / rounding * rounding;
}

BankModel make_bank_model(const BankProblem& problem) {
  check_problem(problem);
  Sections sections = make_sections(problem.buffers, problem.alignment);
  BankModel model{.ranges = std::move(sections.ranges),
                  .bytes = {},
                  .costs = {},
                  .capacities = {},
                  .sections = static_cast<int>(sections.bytes.size()),
                  .first_kept = static_cast<int>(problem.buffers.size()) - problem.kept,
                  .rounding = std::lcm(problem.alignment, problem.room_alignment)};
  const Bytes divisor = common_divisor(problem, model);
  for (const Bank& bank : problem.banks) {
    model.capacities.push_back(bank.bytes / divisor * divisor);
  }
  if (problem.kept == 0) model.rounding = problem.alignment;  // capacities have the rest
  for (std::size_t b = 0; b < problem.buffers.size(); ++b) {
    const Bytes own = problem.buffers[b].bytes;
    const bool is_kept = model.is_kept(static_cast<int>(b));
    const Bytes bytes = is_kept ? own : aligned(own, problem.alignment);
    model.bytes.push_back(bytes);
    const int pinned = problem.pinned.empty() ? -1 : problem.pinned[b];
    for (int k = 0; k < model.banks(); ++k) {
      const Bytes most = is_kept ? model.capacities[k] : model.room(k, 0);
      const bool allowed = (pinned < 0 || pinned == k) && bytes <= most;
      model.costs.push_back(allowed ? static_cast<double>(problem.traffic[b]) *
                                          problem.banks[k].cost_per_byte
                                    : kInfinity);
    }
  }
  return model;
}

BankLoads::BankLoads(const BankModel& model)
    : model_(model),
      banks_(model.ranges.size(), -1),
      loads_(static_cast<std::size_t>(model.banks()) * model.sections, 0),
      kept_(model.banks(), 0) {}

bool BankLoads::fits(int buffer, int bank) const {
  if (!std::isfinite(model_.cost(buffer, bank))) return false;
  const bool is_kept = model_.is_kept(buffer);
  const Bytes bytes = model_.bytes[buffer];
  return peak_along(buffer, bank) + (is_kept ? 0 : bytes) <=
         model_.room(bank, kept_[bank] + (is_kept ? bytes : 0));
}

Bytes BankLoads::peak_along(int buffer, int bank) const {
  const auto first = loads_.begin() + std::ptrdiff_t{bank} * model_.sections;
  const SectionRange& range = model_.ranges[buffer];
  return *std::max_element(first + range.first, first + range.end);
}

void BankLoads::put(int buffer, int bank) {
  banks_[buffer] = bank;
  add(buffer, bank, model_.bytes[buffer]);
}

void BankLoads::take(int buffer) {
  add(buffer, banks_[buffer], -model_.bytes[buffer]);
  banks_[buffer] = -1;
}

void BankLoads::add(int buffer, int bank, Bytes bytes) {
  if (model_.is_kept(buffer)) {
    kept_[bank] += bytes;
    return;
  }
  const SectionRange& range = model_.ranges[buffer];
  for (int s = range.first; s < range.end; ++s) loads_[bank * model_.sections + s] += bytes;
}

double cost_of(const BankProblem& problem, std::span<const int> banks) {
  std::vector<double> traffic(problem.banks.size(), 0);
  for (std::size_t b = 0; b < banks.size(); ++b) {
    traffic[banks[b]] += static_cast<double>(problem.traffic[b]);
  }
  double cost = 0;
  for (std::size_t k = 0; k < traffic.size(); ++k) {
    cost += traffic[k] * problem.banks[k].cost_per_byte;
  }
  return cost;
}

std::vector<Buffer> some_buffers(const BankProblem& problem, std::span<const int> numbers) {
  std::vector<Buffer> some;
  some.reserve(numbers.size());
  for (const int b : numbers) some.push_back(problem.buffers[b]);
  return some;
}

BankContents contents_of(const BankModel& model, int bank, std::span<const int> buffers) {
  BankContents contents;
  Bytes kept = 0;
  for (const int b : buffers) {
    if (model.is_kept(b)) {
      kept += model.bytes[b];
    } else {
      contents.numbers.push_back(b);
    }
  }
  contents.room = model.room(bank, kept);
  return contents;
}

PlacementResult place_in_one_bank(const BankProblem& problem, const BankModel& model, int bank,
                                  std::span<const int> buffers, const PlaceLimits& limits) {
  const BankContents contents = contents_of(model, bank, buffers);
  if (contents.room < 0) return {.status = PlacementStatus::impossible, .placement = {}};
  PlacementResult found{.status = PlacementStatus::fits, .placement = {}};
  if (!contents.numbers.empty()) {
    found = place(some_buffers(problem, contents.numbers),
                  {.capacity_bytes = contents.room, .alignment = problem.alignment}, limits);
  }
  if (found.status != PlacementStatus::fits) return found;
  std::vector<Bytes>& offsets = found.placement.offsets;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (model.is_kept(buffers[i])) offsets.insert(offsets.begin() + std::ptrdiff_t(i), 0);
  }
  return found;
}

}  // namespace poet
