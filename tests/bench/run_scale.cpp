#include <functional>

#include <fmt/format.h>

#include "growth.hpp"
#include "options.hpp"
#include "session.hpp"
#include "synthetic.hpp"

namespace poet::bench {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr double kRuntimeRatio = 3;
constexpr double kMebibyte = 1 << 20;
constexpr auto kLayout =
    "{:<32} {:>6} {:>8} {:>8} {:>9} {:>8} {:>8} {:>8} {:>9} {:>11} {:>9} {:>9} {:>10} {:>10}";

/// Problems of one kind, from small to large.
struct Series {
  Family family;
  int budget_percentage;

  std::string name() const {
    return fmt::format("{} {} %", family_name(family), budget_percentage);
  }
  Problem problem(int nodes) const {
    Problem made{.graph = synthetic_graph(family, nodes, kSeed)};
    made.limits = {.ram_budget_bytes = budget_between(made.graph, budget_percentage / 100.0),
                   .runtime_budget_seconds = kRuntimeRatio * baseline(made.graph).runtime_seconds};
    return made;
  }
  Instance instance(int nodes) const {
    return {.model = fmt::format("{}-{}", family_name(family), nodes),
            .platform = fmt::format("{}%", budget_percentage),
            .ram_bytes = problem(nodes).limits.ram_budget_bytes,
            .runtime_ratio = kRuntimeRatio};
  }
};

std::string heading() {
  return fmt::format(kLayout, "instance", "nodes", "rows", "columns", "nonzeros", "first s",
                     "build s", "wall s", "energy +%", "bound +%", "gap %", "at s", "solver MiB",
                     "child MiB") +
         "  status";
}

std::string percentage(double value) {
  return fmt::format("{:.4f}", 100 * value);
}

std::string mebibytes(Bytes bytes) {
  return fmt::format("{:.0f}", static_cast<double>(bytes) / kMebibyte);
}

/// Energy and bound as shares above the baseline's energy, which is a bound from the start.
std::string row(const Measurement& m) {
  const Figures& f = m.figures;
  const auto above_baseline = [&](Joules energy) {
    return percentage((energy - f.baseline_joules) / f.baseline_joules);
  };
  const std::string none = "-";
  const bool raised = f.bound_seconds > 0;
  return fmt::format(kLayout, m.instance.name(), f.graph_nodes, f.rows, f.columns, f.nonzeros,
                     f.has_schedule ? fmt::format("{:.2f}", f.first_schedule_seconds) : none,
                     f.finished ? fmt::format("{:.2f}", f.build_seconds) : none,
                     fmt::format("{:.2f}", f.wall_seconds),
                     f.has_schedule ? above_baseline(f.energy_joules) : none,
                     raised ? above_baseline(f.bound_joules) : none,
                     f.has_schedule ? percentage(f.gap()) : none,
                     raised ? fmt::format("{:.1f}", f.bound_seconds) : none,
                     mebibytes(f.solver_rss_bytes), mebibytes(f.children_rss_bytes)) +
         fmt::format("  {}{}", outcome(m), m.ok() ? "" : ": " + m.failure);
}

Measurement measure_one(const Series& series, int nodes, const Conditions& conditions) {
  const Problem problem = series.problem(nodes);
  return measure(
      series.instance(nodes), [&] { return problem; }, conditions);
}

/// `2.1 (3 sizes)`, over the measurements that have the figure (where it is above 0).
std::string exponent(const std::vector<Measurement>& measurements,
                     const std::function<double(const Measurement&)>& figure) {
  std::vector<Point> points;
  for (const Measurement& m : measurements) {
    const double value = figure(m);
    if (value > 0) points.push_back({static_cast<double>(m.figures.graph_nodes), value});
  }
  const std::optional<double> slope = growth_exponent(points);
  if (!slope) return "unknown";
  return fmt::format("{:.2f} ({} sizes)", *slope, points.size());
}

/// A solve that came to no model, or to no good end, tells nothing of the size of models.
std::string growth_line(const Series& series, const std::vector<Measurement>& measurements) {
  const auto first = [](const Measurement& m) {
    return m.figures.has_schedule ? m.figures.first_schedule_seconds : 0;
  };
  const auto of_model = [](auto Figures::*figure) {
    return [figure](const Measurement& m) {
      return m.ok() && m.figures.rows > 0 ? static_cast<double>(m.figures.*figure) : 0;
    };
  };
  return fmt::format(
      "{}: first schedule {}, building the model {}, its nonzeros {}, memory of the solver {}, of "
      "a child {}",
      series.name(), exponent(measurements, first),
      exponent(measurements, of_model(&Figures::build_seconds)),
      exponent(measurements, of_model(&Figures::nonzeros)),
      exponent(measurements, of_model(&Figures::solver_rss_bytes)),
      exponent(measurements, of_model(&Figures::children_rss_bytes)));
}

}  // namespace

int run_scale(const Options& options) {
  const Conditions conditions = conditions_of(options, options.quick ? 20 : 60);
  const std::vector<int> sizes =
      options.quick ? std::vector{125, 250, 500} : std::vector{500, 1000, 2000};
  Log log(options, conditions, heading(), row);
  std::string growth;
  for (const Family family : {Family::skips, Family::layered}) {
    for (const int share : {30, 60}) {
      const Series series{family, share};
      std::vector<Measurement> measurements;
      for (const int nodes : sizes) {
        log.add(series.instance(nodes), "", [&] { return measure_one(series, nodes, conditions); });
        measurements.push_back(log.measurements().back());
      }
      growth += fmt::format("\n{}", growth_line(series, measurements));
    }
  }
  say("\ngrowth exponents over the number of nodes" + growth);
  return all_ok(log.measurements()) ? 0 : 1;
}

}  // namespace poet::bench
