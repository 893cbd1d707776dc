// The families of rows that are few enough to list: some for each moment and tensor, or for each
// edge. Each function names the rows in the words of a certificate and builds them from the columns
// alone, so that a mistake here makes a certificate that the checker refuses, and no false proof.
// What a relaxation can start without is marked as rarely tight, such as the inputs of
// recomputations, of which each moment has a row for each edge.

#include "solver/moments/moment_rows.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "solver/formulation/knapsack_facet.hpp"

namespace poet {
namespace {

/// Seconds are counted in 2^-36 of the runtime budget, which is finer than its slack.
constexpr int kTimeBits = 36;
/// From so many columns on the first relaxation takes many seconds, and less of them if it begins
/// without rows that others nearly imply. On small models these only cost rounds.
constexpr std::size_t kLargeModel = 30'000;

class MomentRows {
 public:
  explicit MomentRows(const MomentModel& model)
      : model_(model), intervals_(model.intervals()), large_(model.size() >= kLargeModel) {}

  std::vector<ProofRow> all() {
    for (std::size_t w = 0; w < intervals_.size(); ++w) {
      next_ = w + 1 < intervals_.size() ? &intervals_[w + 1] : nullptr;
      for (int i = 0; i < intervals_[w].stage; ++i) {
        add_presence(intervals_[w], i);
        add_copies(intervals_[w], i);
        if (w > 0) add_absence(intervals_[w - 1], intervals_[w], i);
        if (next_ != nullptr) add_ever(intervals_[w], i);
        if (model_.writes()) add_writing(intervals_[w], i);
      }
    }
    if (model_.writes()) add_writes();
    add_runtime();
    add_storage();
    return std::move(rows_);
  }

 private:
  void keep(ProofRow& row) {  // taken over, if it says anything
    if (row.finish()) rows_.push_back(std::move(row));
  }

  static ProofRow present(std::string line, const ProofInterval& now, int i) {
    ProofRow row{.line = std::move(line)};
    row.add(1, now.in_ram[i]).add(1, now.recomputed[i]).add(1, now.paged_in[i]);
    return row;
  }

  static ProofRow present_ever(std::string line, const ProofInterval& now, int i) {
    ProofRow row{.line = std::move(line)};
    row.add(1, now.in_ram[i]).add(1, now.recomputed_ever[i]).add(1, now.paged_in_ever[i]);
    return row;
  }

  /// first, hand, input: what needs i in the interval finds it there: S[b,i] + R[b,i] + I[b,i] >=
  /// the need.
  void add_presence(const ProofInterval& now, int i) {
    if (model_.is_read_in(now, i)) {
      keep(present(fmt::format("first {} {}", now.stage, i), now, i).add(-1, kCertain));
    }
    if (next_ != nullptr && next_->in_ram[i] >= 0) {
      keep(present(fmt::format("hand {} {}", now.stage, i), now, i).add(-1, next_->in_ram[i]));
    }
    for (const int j : model_.graph().users[i]) {
      if (j >= now.stage || now.recomputed[j] == kAbsent) continue;
      ProofRow row = present(fmt::format("input {} {} {}", now.stage, i, j), now, i);
      keep(row.late().add(-1, now.recomputed[j]));
    }
  }

  /// copy, copies: what is paged in was written out. The latter nearly imply the former.
  void add_copies(const ProofInterval& now, int i) {
    const auto add = [&](std::string_view kind, ProofColumn column, bool late) {
      if (column == kAbsent) return;
      ProofRow row{.line = fmt::format("{} {} {}", kind, now.stage, i)};
      keep(row.late(late).add(1, model_.ever_paged()[i]).add(-1, column));
    };
    add("copy", now.paged_in[i], large_);
    if (now.paged_in_ever[i] != now.paged_in[i]) add("copies", now.paged_in_ever[i], false);
  }

  /// absent: a stage neither pages in what it holds at its start nor what it computes (rule 4).
  /// Without these rows a tensor is paged in twice running, and away in between.
  void add_absence(const ProofInterval& before, const ProofInterval& now, int i) {
    if (!before.is_one_stage() || !now.is_one_stage() || i >= before.stage) return;
    ProofRow row{.line = fmt::format("absent {} {}", now.stage, i), .bound = -1};
    if (before.in_ram[i] != kCertain) row.add(-1, before.in_ram[i]);
    row.add(-1, before.recomputed[i]).add(-1, before.paged_in[i]).add(-1, now.paged_in[i]);
    keep(row.late());
  }

  /// ever, inputs, sumR, sumI: the same for all intervals from this one on.
  ///
  /// Without these rows more moments can make the relaxation weaker: it computes a sliver of a node
  /// in each interval, and the inputs of each sliver have to be there by as much only.
  void add_ever(const ProofInterval& now, int i) {
    const std::vector<int>& users = model_.graph().users[i];
    if (!users.empty() && users.back() > now.stage) {
      keep(present_ever(fmt::format("ever {} {}", now.stage, i), now, i).add(-1, kCertain));
    }
    for (const int j : users) {
      if (j >= now.stage || now.recomputed_ever[j] == kAbsent) continue;
      ProofRow row = present_ever(fmt::format("inputs {} {} {}", now.stage, i, j), now, i);
      keep(row.late().add(-1, now.recomputed_ever[j]));
    }
    add_sum("sumR", now.stage, i, now.recomputed_ever[i], now.recomputed[i],
            next_->recomputed_ever[i]);
    add_sum("sumI", now.stage, i, now.paged_in_ever[i], now.paged_in[i], next_->paged_in_ever[i]);
  }

  void add_sum(std::string_view kind, int stage, int i, ProofColumn ever, ProofColumn now,
               ProofColumn later) {
    if (ever == now || ever == later) return;
    ProofRow row{.line = fmt::format("{} {} {}", kind, stage, i)};
    keep(row.late(large_ && kind == "sumI").add(1, now).add(1, later).add(-1, ever));
  }

  /// written, order: rule 3 and rule 4.
  void add_writing(const ProofInterval& now, int i) {
    if (now.first_written[i] != kAbsent) {
      ProofRow row{.line = fmt::format("written {} {}", now.stage, i)};
      row.add(1, now.in_ram[i]).add(-1, now.first_written[i]);
      if (!now.is_one_stage()) row.add(1, now.recomputed[i]);
      keep(row);
    }
    if (now.paged_in[i] == kAbsent || i < intervals_.front().stage) return;
    ProofRow row{.line = fmt::format("order {} {}", now.stage, i)};
    row.add(-1, now.paged_in[i]);
    for (const ProofInterval& before : intervals_) {
      if (before.stage <= now.next - 3) row.add(1, before.first_written[i]);
    }
    keep(row);
  }

  /// write: what is ever written out is first written out in some interval.
  void add_writes() {
    for (int i = intervals_.front().stage; i < model_.graph().size(); ++i) {
      if (model_.ever_paged()[i] == kAbsent) continue;
      ProofRow row{.line = fmt::format("write {}", i)};
      row.add(-1, model_.ever_paged()[i]);
      for (const ProofInterval& now : intervals_) row.add(1, now.first_written[i]);
      keep(row);
    }
  }

  /// runtime, transfers: rule 6, in whole units. The budget is rounded up, and the checker's is no
  /// greater.
  void add_runtime() {
    const Limits& limits = model_.problem().limits;
    if (!(limits.runtime_budget_seconds > 0)) return;
    const int shift =
        std::clamp(kTimeBits - std::ilogb(limits.runtime_budget_seconds), -1000, 1000);
    const auto units = [shift](double seconds) {
      return static_cast<std::int64_t>(std::floor(std::min(std::ldexp(seconds, shift), 1e15)));
    };
    const auto size = static_cast<double>(model_.graph().size());
    const double slack = (1 + kRuntimeSlack) * (1 + std::ldexp(size * size, -51));
    const std::int64_t budget = units(limits.runtime_budget_seconds * slack) + 1;
    const auto add = [&](std::string_view kind, bool computations, bool transfers) {
      ProofRow row{.line = fmt::format("{} {}", kind, shift), .bound = -budget};
      for (int i = 0; i < model_.graph().size(); ++i) {
        const Node& node = model_.node(i);
        if (computations) row.add(-units(node.runtime_seconds), kCertain);
        if (transfers) row.add(-units(node.page_out_seconds), model_.ever_paged()[i]);
        for (const ProofInterval& now : intervals_) {
          if (i > now.stage) continue;
          if (computations) row.add(-units(node.runtime_seconds), now.recomputed[i]);
          if (transfers) row.add(-units(node.page_in_seconds), now.paged_in[i]);
        }
      }
      keep(row);
    };
    add("runtime", true, limits.paging_time == PagingTime::blocking);
    if (model_.overlaps()) add("transfers", false, true);
  }

  /// storage: rule 9.
  void add_storage() {
    const Limits& limits = model_.problem().limits;
    if (write_budget(limits) == kMaxBytes) return;
    ProofRow row{.line = "storage", .bound = -write_budget(limits)};
    for (int i = 0; i < model_.graph().size(); ++i) {
      row.add(-bytes_in_storage(model_.node(i)), model_.ever_paged()[i]);
    }
    keep(row);
  }

  const MomentModel& model_;
  const std::vector<ProofInterval>& intervals_;
  bool large_;
  const ProofInterval* next_ = nullptr;
  std::vector<ProofRow> rows_;
};

/// "Ever" is a sum of events: it is whole if they are.
bool is_choice(const std::string& name) {
  return name[0] != 'Z' && name[0] != 'Y';
}

MilpRow as_milp_row(const ProofRow& row) {
  MilpRow converted{
      .name = row.line, .lower = static_cast<double>(row.bound), .rarely_tight = row.rarely_tight};
  for (const auto& [column, coefficient] : row.terms) {
    converted.terms.push_back({.column = column, .coefficient = static_cast<double>(coefficient)});
  }
  return converted;
}

}  // namespace

std::vector<ProofRow> tight_ram_rows(const MomentModel& model) {
  std::vector<ProofRow> rows;
  for (const ProofInterval& interval : model.intervals()) {
    Knapsack knapsack{.capacity = model.free_at(interval)};
    std::vector<ProofColumn> items;
    for (int i = 0; i < interval.stage; ++i) {
      if (interval.in_ram[i] < 0) continue;
      knapsack.weights.push_back(model.node(i).bytes);
      items.push_back(interval.in_ram[i]);
    }
    const Knapsack tight = in_units(knapsack);
    ProofRow row{.line = fmt::format("tight {}", interval.stage), .bound = -tight.capacity};
    for (std::size_t q = 0; q < items.size(); ++q) row.add(-tight.weights[q], items[q]);
    if (row.finish()) rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<ProofRow> moment_rows(const MomentModel& model) {
  return MomentRows(model).all();
}

Milp moment_milp(const MomentModel& model, const ProofCosts& costs,
                 std::span<const ProofRow> rows) {
  Milp milp;
  for (std::size_t c = 0; c < model.size(); ++c) {
    const auto column = static_cast<ProofColumn>(c);
    milp.add_column({.name = model.name(column),
                     .cost = std::ldexp(static_cast<double>(model.cost(column)), -costs.shift),
                     .integer = is_choice(model.name(column))});
  }
  for (const ProofRow& row : rows) milp.rows.push_back(as_milp_row(row));
  return milp;
}

}  // namespace poet
