#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "arena/sections.hpp"
#include "poet/banks.hpp"

namespace poet {

/// A problem of banks as its searches see it: sections in place of times, rounded sizes, and the
/// cost of each buffer in each bank. Banks that cannot hold a buffer cost infinity.
struct BankModel {
  std::vector<SectionRange> ranges;  ///< by buffer
  std::vector<Bytes> bytes;          ///< by buffer, rounded to the alignment unless it is kept
  std::vector<double> costs;         ///< by buffer and bank
  std::vector<Bytes> capacities;     ///< by bank, rounded down to what sums of sizes can reach
  int sections = 0;
  int first_kept = 0;  ///< from here on, buffers are kept
  Bytes rounding = 1;  ///< of what the kept ones leave of a bank

  int buffers() const { return static_cast<int>(ranges.size()); }
  int banks() const { return static_cast<int>(capacities.size()); }
  double cost(int buffer, int bank) const { return costs[buffer * banks() + bank]; }
  double least_cost(int buffer) const;
  bool is_kept(int buffer) const { return buffer >= first_kept; }
  /// What is left of a bank for buffers with offsets beside so many kept bytes; below 0 if these
  /// are too many.
  Bytes room(int bank, Bytes kept) const;
};

/// Throws InputError as place_in_banks().
BankModel make_bank_model(const BankProblem& problem);

/// Which bank each buffer is in so far, and the bytes of each section of each bank. Whether there
/// are offsets is another question: no bank is over its capacity, that is all.
class BankLoads {
 public:
  explicit BankLoads(const BankModel& model);

  /// Whether a buffer may be in a bank, and has room there beside all that is.
  bool fits(int buffer, int bank) const;
  void put(int buffer, int bank);
  void take(int buffer);
  /// The most bytes of a bank in any section of a buffer.
  Bytes peak_along(int buffer, int bank) const;

  int bank_of(int buffer) const { return banks_[buffer]; }  ///< or -1
  const std::vector<int>& banks() const { return banks_; }

 private:
  void add(int buffer, int bank, Bytes bytes);

  const BankModel& model_;
  std::vector<int> banks_;
  std::vector<Bytes> loads_;  ///< by bank and section, of buffers with offsets
  std::vector<Bytes> kept_;   ///< by bank
};

/// The buffers in an order of greedy placements.
std::vector<int> bank_order(const BankProblem& problem, const BankModel& model, BankOrder order);

/// Places buffers one after the other in the cheapest bank with a gap; those without are left over,
/// and in bank -1.
BankPlacement place_banks_in_order(const BankModel& model, const std::vector<int>& order);

/// Sets what follows from which buffers are left over: whether it fits, and the cost or what is
/// missing.
void conclude_banks(const BankProblem& problem, BankPlacement& result);

/// A lower bound on what every placement costs, and the prices that prove it.
struct BankBound {
  double bound = 0;
  std::vector<double> costs;  ///< by buffer and bank: its cost and the price of its bytes there
  double of_capacities = 0;   ///< what all banks together are worth at these prices
};

/// Prices the bytes of each bank in each section, so that the bound gets as high as it can in a
/// number of steps. `aim` is the cost of a known placement, or infinity.
BankBound bank_bound(const BankModel& model, double aim);

/// Looks for banks within the capacities alone, by exchanges, from a start that keeps to them as
/// far as it says: -1 stands for no bank and costs more than any bank. Returns the best that was
/// found.
std::vector<int> exchange_banks(const BankModel& model, const std::vector<int>& start,
                                std::int64_t moves);

/// The end of a search through all banks of all buffers.
struct BankTree {
  bool complete = false;    ///< nothing cheaper was left out
  BankedOffsets placement;  ///< cheaper than the given cost; empty if none was found
  double cost = 0;
  std::int64_t node_count = 0;
};

/// Branch and bound over the banks of buffers, with offsets at its leaves. Looks for a placement
/// that costs less than `below`.
BankTree branch_on_banks(const BankProblem& problem, const BankModel& model, const BankBound& bound,
                         double below, std::int64_t max_nodes);

/// The buffers of these numbers.
std::vector<Buffer> some_buffers(const BankProblem& problem, std::span<const int> numbers);

/// The buffers that are in one bank, with offsets to be found, and the room for them.
struct BankContents {
  std::vector<int> numbers;
  Bytes room = 0;
};
BankContents contents_of(const BankModel& model, int bank, std::span<const int> buffers);

/// Offsets for the buffers that are in one bank, in their order; 0 for those kept.
PlacementResult place_in_one_bank(const BankProblem& problem, const BankModel& model, int bank,
                                  std::span<const int> buffers, const PlaceLimits& limits);

}  // namespace poet
