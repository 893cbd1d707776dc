// What all searches over banks share. A bank is an arena like any other, so the search for offsets
// finds the offsets within it; what is new is only which buffers are in which bank.

#include "arena/bank_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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
  for (const int bank : problem.pinned) {
    if (bank >= -1 && bank < static_cast<int>(problem.banks.size())) continue;
    throw InputError(fmt::format("a buffer is pinned to bank {}, which does not exist", bank));
  }
}

}  // namespace

double BankModel::least_cost(int buffer) const {
  const auto first = costs.begin() + std::ptrdiff_t{buffer} * banks();
  return *std::min_element(first, first + banks());
}

BankModel make_bank_model(const BankProblem& problem) {
  check_problem(problem);
  Sections sections = make_sections(problem.buffers, problem.alignment);
  BankModel model{.ranges = std::move(sections.ranges),
                  .bytes = {},
                  .costs = {},
                  .capacities = {},
                  .sections = static_cast<int>(sections.bytes.size())};
  for (const Bank& bank : problem.banks) {
    model.capacities.push_back(bank.bytes / problem.alignment * problem.alignment);
  }
  for (std::size_t b = 0; b < problem.buffers.size(); ++b) {
    const Bytes bytes = aligned(problem.buffers[b].bytes, problem.alignment);
    model.bytes.push_back(bytes);
    const int pinned = problem.pinned.empty() ? -1 : problem.pinned[b];
    for (int k = 0; k < model.banks(); ++k) {
      const bool allowed = (pinned < 0 || pinned == k) && bytes <= model.capacities[k];
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
      loads_(static_cast<std::size_t>(model.banks()) * model.sections, 0) {}

bool BankLoads::fits(int buffer, int bank) const {
  return std::isfinite(model_.cost(buffer, bank)) &&
         peak_along(buffer, bank) + model_.bytes[buffer] <= model_.capacities[bank];
}

Bytes BankLoads::peak_along(int buffer, int bank) const {
  const auto first = loads_.begin() + std::ptrdiff_t{bank} * model_.sections;
  const SectionRange& range = model_.ranges[buffer];
  return *std::max_element(first + range.first, first + range.end);
}

void BankLoads::put(int buffer, int bank) {
  banks_[buffer] = bank;
  const SectionRange& range = model_.ranges[buffer];
  for (int s = range.first; s < range.end; ++s) {
    loads_[bank * model_.sections + s] += model_.bytes[buffer];
  }
}

void BankLoads::take(int buffer) {
  const int bank = banks_[buffer];
  banks_[buffer] = -1;
  const SectionRange& range = model_.ranges[buffer];
  for (int s = range.first; s < range.end; ++s) {
    loads_[bank * model_.sections + s] -= model_.bytes[buffer];
  }
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

PlacementResult place_in_one_bank(const BankProblem& problem, std::span<const int> buffers,
                                  Bytes capacity, std::int64_t max_nodes) {
  if (buffers.empty()) return {.status = PlacementStatus::fits, .placement = {}};
  return place(some_buffers(problem, buffers),
               {.capacity_bytes = capacity, .alignment = problem.alignment},
               {.search_nodes = max_nodes});
}

}  // namespace poet
