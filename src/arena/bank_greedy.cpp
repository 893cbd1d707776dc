// One buffer after the other, each in the lowest gap of the cheapest bank that has one. A few
// orders are the baselines that others use, and good starts for the search.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "arena/bank_model.hpp"

namespace poet {
namespace {

/// What is placed in a bank.
struct Placed {
  int buffer = 0;
  Bytes offset = 0;
};

struct FilledBank {
  std::vector<Placed> placed;  ///< in order of offsets
  Bytes top = 0;               ///< of them
  Bytes kept = 0;
};

/// The lowest gap of a bank for a buffer, if there is one; 0 for what is kept and has room.
std::optional<Bytes> gap_for(const BankModel& model, const FilledBank& filled, int buffer,
                             int bank) {
  const Bytes bytes = model.bytes[buffer];
  if (model.is_kept(buffer)) {
    if (filled.top > model.room(bank, filled.kept + bytes)) return std::nullopt;
    return 0;
  }
  if (bytes == 0) return 0;
  Bytes top = 0;
  for (const Placed& other : filled.placed) {
    if (!overlap(model.ranges[buffer], model.ranges[other.buffer])) continue;
    if (other.offset - top >= bytes) break;
    top = std::max(top, other.offset + model.bytes[other.buffer]);
  }
  if (top + bytes > model.room(bank, filled.kept)) return std::nullopt;
  return top;
}

void add(FilledBank& filled, const BankModel& model, Placed placed) {
  const Bytes bytes = model.bytes[placed.buffer];
  if (model.is_kept(placed.buffer)) {
    filled.kept += bytes;
  } else if (bytes > 0) {
    filled.top = std::max(filled.top, placed.offset + bytes);
    filled.placed.insert(
        std::upper_bound(filled.placed.begin(), filled.placed.end(), placed.offset,
                         [](Bytes at, const Placed& other) { return at < other.offset; }),
        placed);
  }
}

Bytes peak_of(const BankProblem& problem, const std::vector<int>& some) {
  return some.empty() ? 0 : peak_bytes(some_buffers(problem, some), problem.alignment);
}

}  // namespace

BankPlacement place_banks_in_order(const BankModel& model, const std::vector<int>& order) {
  BankPlacement result;
  result.placement = {.banks = std::vector<int>(order.size(), -1),
                      .offsets = std::vector<Bytes>(order.size(), 0)};
  std::vector<FilledBank> filled(model.banks());
  for (const int b : order) {
    int best = -1;
    Bytes offset = 0;
    for (int k = 0; k < model.banks(); ++k) {
      if (!std::isfinite(model.cost(b, k))) continue;
      if (best >= 0 && model.cost(b, k) >= model.cost(b, best)) continue;
      const auto gap = gap_for(model, filled[k], b, k);
      if (!gap) continue;
      best = k;
      offset = *gap;
    }
    if (best < 0) {
      result.left_over.push_back(b);
      continue;
    }
    result.placement.banks[b] = best;
    result.placement.offsets[b] = offset;
    add(filled[best], model, {.buffer = b, .offset = offset});
  }
  return result;
}

std::vector<int> bank_order(const BankProblem& problem, const BankModel& model, BankOrder order) {
  const auto key = [&](int b) {
    const auto bytes = static_cast<double>(model.bytes[b]);
    const auto traffic = static_cast<double>(problem.traffic[b]);
    switch (order) {
      case BankOrder::traffic:
        return std::pair(-traffic, bytes);
      case BankOrder::density:
        return std::pair(-traffic / std::max(bytes, 1.0), -bytes);
      case BankOrder::size:
        break;
    }
    return std::pair(-bytes, -traffic);
  };
  std::vector<int> buffers(problem.buffers.size());
  std::iota(buffers.begin(), buffers.end(), 0);
  std::stable_sort(buffers.begin(), buffers.end(), [&](int a, int b) { return key(a) < key(b); });
  return buffers;
}

void conclude_banks(const BankProblem& problem, BankPlacement& result) {
  std::sort(result.left_over.begin(), result.left_over.end());
  result.missing_bytes = peak_of(problem, result.left_over);
  if (!result.left_over.empty()) {
    result.placement = {};
    return;
  }
  result.status = PlacementStatus::fits;
  result.cost = cost_of(problem, result.placement.banks);
}

BankPlacement place_greedily_in_banks(const BankProblem& problem, BankOrder order) {
  const BankModel model = make_bank_model(problem);
  BankPlacement result = place_banks_in_order(model, bank_order(problem, model, order));
  conclude_banks(problem, result);
  return result;
}

}  // namespace poet
