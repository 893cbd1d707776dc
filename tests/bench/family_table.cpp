#include "family_table.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace poet::bench {
namespace {

/// Mean and worst of some shares, and which is the worst.
class Tracked {
 public:
  void add(double value, const std::string& name) {
    if (count_ == 0 || value > worst_) {
      worst_ = value;
      name_ = name;
    }
    sum_ += value;
    ++count_;
  }
  std::string cells() const {
    if (count_ == 0) return fmt::format(" {:>9} {:>9}", "-", "-");
    return fmt::format(" {:>9.4g} {:>9.4g}", 100 * sum_ / count_, 100 * worst_);
  }
  /// `; what: name`, or nothing without a figure above 0.
  std::string where(const char* what) const {
    return count_ == 0 || worst_ <= 0 ? std::string() : fmt::format("; {}: {}", what, name_);
  }

 private:
  double sum_ = 0;
  double worst_ = 0;
  int count_ = 0;
  std::string name_;
};

struct FamilyRow {
  int points = 0;
  int without = 0;       ///< no schedule and no proof that there is none
  int without_soon = 0;  ///< no schedule at kPatient, but one later
  int better = 0;        ///< than the best known before
  std::array<int, 3> proven{};
  Tracked gap;
  Tracked gap_on_extra;
  Tracked soon;
  Tracked last;
};

/// Extra energy of the best schedule known before the run; 0 where none is known.
Joules known_extra(const Measurement& m, const BestKnown& known) {
  const Joules then = m.instance.best_extra_joules;
  const auto found = known.find(m.instance.name());
  if (found == known.end() || !found->second.energy_joules) return then;
  const Joules now = *found->second.energy_joules - found->second.baseline_joules;
  return then > 0 ? std::min(then, now) : now;
}

void compare(FamilyRow& row, const Measurement& m, Joules before) {
  const std::string name = m.instance.name();
  const Joules extra = m.figures.extra_joules();
  constexpr double kDigits = 1e-6;  // a difference below this is none
  if (before > 0 && extra < before * (1 - kDigits)) ++row.better;
  const Joules best = before > 0 ? std::min(before, extra) : extra;
  if (best <= 0) return;  // the baseline fits
  row.last.add(extra / best - 1, name);
  if (m.figures.patient_joules <= 0) {
    ++row.without_soon;
    return;
  }
  row.soon.add((m.figures.patient_joules - m.figures.baseline_joules) / best - 1, name);
}

void add(FamilyRow& row, const Measurement& m, const BestKnown& known) {
  constexpr std::array kMarks{1.0, 10.0, 60.0};
  ++row.points;
  for (std::size_t i = 0; i < kMarks.size(); ++i) {
    if (m.settled() && m.figures.wall_seconds <= kMarks[i]) ++row.proven[i];
  }
  if (!m.ok() || !m.figures.has_schedule) {
    if (!m.settled()) ++row.without;
    return;
  }
  row.gap.add(m.figures.gap(), m.instance.name());
  row.gap_on_extra.add(m.figures.gap_on_extra(), m.instance.name());
  compare(row, m, known_extra(m, known));
}

std::string heading() {
  return fmt::format("{:<10} {:>6} {:>5} {:>5} {:>5} {:>19} {:>19} {:>19} {:>19}\n", "", "", "", "",
                     "", "gap %", "gap on extra %", "over best at 10 s %", "at the end %") +
         fmt::format("{:<10} {:>6} {:>5} {:>5} {:>5}", "graphs", "points", "1 s", "10 s", "60 s") +
         fmt::format(" {0:>9} {1:>9} {0:>9} {1:>9} {0:>9} {1:>9} {0:>9} {1:>9}\n", "mean", "worst");
}

std::string lines(Kind kind, const FamilyRow& row) {
  std::string text = fmt::format("{:<10} {:>6} {:>5} {:>5} {:>5}", kind_name(kind), row.points,
                                 row.proven[0], row.proven[1], row.proven[2]) +
                     row.gap.cells() + row.gap_on_extra.cells() + row.soon.cells() +
                     row.last.cells();
  text += fmt::format(
      "\n  {} without a schedule or a verdict, {} of the others without one at "
      "10 s; {} better than the best known before",
      row.without, row.without_soon, row.better);
  text += row.gap.where("worst gap") + row.gap_on_extra.where("on extra") +
          row.soon.where("at 10 s") + row.last.where("at the end");
  return text + "\n";
}

}  // namespace

std::string family_table(const std::vector<Measurement>& measurements, const BestKnown& known) {
  std::string text = heading();
  for (const Kind kind : {Kind::chain, Kind::layered, Kind::exact, Kind::inference}) {
    FamilyRow row;
    for (const Measurement& m : measurements) {
      if (m.instance.kind == kind) add(row, m, known);
    }
    if (row.points > 0) text += lines(kind, row);
  }
  return text;
}

}  // namespace poet::bench
