#include "summary.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "tally.hpp"

namespace poet::bench {
namespace {

constexpr double kMebibyte = 1 << 20;

/// The largest of some figures, and where it was, and their mean.
class Spread {
 public:
  void add(double value, const Measurement& m) {
    if (count_ == 0 || value > highest_) {
      highest_ = value;
      where_ = m.instance.name();
    }
    sum_ += value;
    ++count_;
  }
  void add(const std::optional<double>& value, const Measurement& m) {
    if (value) add(*value, m);
  }
  /// `what: highest 1.2 % (where), mean 0.3 % over 10 schedules`, or nothing where there is
  /// nothing.
  std::string line(const char* what, double unit, const char* unit_name) const {
    if (count_ == 0) return {};
    return fmt::format("{}: highest {:.4g} {} ({}), mean {:.4g} {} over {}\n", what,
                       highest_ * unit, unit_name, where_, sum_ / count_ * unit, unit_name, count_);
  }

 private:
  double highest_ = 0;
  double sum_ = 0;
  int count_ = 0;
  std::string where_;
};

std::string settled_line(const std::vector<Measurement>& measurements) {
  const auto count = [&](const auto& holds) {
    return std::count_if(measurements.begin(), measurements.end(), holds);
  };
  std::string text = fmt::format("{} of {} points proven within the limit ({} of them infeasible)",
                                 count([](const Measurement& m) { return m.settled(); }),
                                 measurements.size(), count([](const Measurement& m) {
                                   return m.settled() && m.figures.status == Status::infeasible;
                                 }));
  for (const double seconds : {1.0, 10.0, 60.0}) {
    const auto in_time = [&](const Measurement& m) {
      return m.settled() && m.figures.wall_seconds <= seconds;
    };
    text += fmt::format("; {} in {:g} s", count(in_time), seconds);
  }
  return text + fmt::format("\n{} without a schedule or a verdict, {} invalid or failed\n",
                            count([](const Measurement& m) {
                              return m.ok() && m.figures.status == Status::unknown;
                            }),
                            count([](const Measurement& m) { return !m.ok(); }));
}

std::string quality_lines(const std::vector<Measurement>& measurements) {
  Spread gap;
  Spread extra_gap;
  Spread over_best;
  Spread early;
  int late = 0;
  for (const Measurement& m : measurements) {
    if (!m.ok() || !m.figures.has_schedule) continue;
    gap.add(m.figures.gap(), m);
    extra_gap.add(m.figures.gap_on_extra(), m);
    over_best.add(excess_over_best(m), m);
    early.add(early_excess(m), m);
    if (m.figures.early_joules <= 0) ++late;
  }
  std::string text = gap.line("gap on total energy", 100, "%") +
                     extra_gap.line("gap on extra energy", 100, "%") +
                     over_best.line("extra energy over the best known", 100, "%");
  const std::string what = fmt::format("extra energy {:g} s into the solve, over the best", kEarly);
  text += early.line(what.c_str(), 100, "%");
  if (late > 0) text += fmt::format("{} had no schedule {:g} s into the solve\n", late, kEarly);
  return text;
}

std::string effort_lines(const std::vector<Measurement>& measurements) {
  Spread first;
  Spread memory;
  Spread rows;
  Spread columns;
  Spread nonzeros;
  Figures sum;
  for (const Measurement& m : measurements) {
    const Figures& f = m.figures;
    memory.add(static_cast<double>(m.peak_rss_bytes), m);
    if (f.has_schedule) first.add(f.first_schedule_seconds, m);
    if (f.rows > 0) {
      rows.add(f.rows, m);
      columns.add(f.columns, m);
      nonzeros.add(static_cast<double>(f.nonzeros), m);
    }
    sum.heuristic_seconds += f.heuristic_seconds;
    sum.build_seconds += f.build_seconds;
    sum.milp_seconds += f.milp_seconds;
    sum.wall_seconds += f.wall_seconds;
    sum.processor_seconds += f.processor_seconds;
  }
  return first.line("first schedule", 1, "s") + memory.line("peak memory", 1 / kMebibyte, "MiB") +
         rows.line("rows", 1e-3, "thousand") + columns.line("columns", 1e-3, "thousand") +
         nonzeros.line("nonzeros", 1e-3, "thousand") +
         fmt::format(
             "time in all: local search {:.1f} s, building models {:.1f} s, root loop and "
             "CBC {:.1f} s; solves {:.1f} s{}\n",
             sum.heuristic_seconds, sum.build_seconds, sum.milp_seconds, sum.wall_seconds,
             // Older files do not have it.
             sum.processor_seconds > 0
                 ? fmt::format(", {:.1f} s of them on a processor", sum.processor_seconds)
                 : std::string());
}

}  // namespace

std::string summary(const std::vector<Measurement>& measurements) {
  return settled_line(measurements) + quality_lines(measurements) + effort_lines(measurements);
}

}  // namespace poet::bench
