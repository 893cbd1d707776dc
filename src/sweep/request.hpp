#pragma once

#include <cstdint>
#include <string>

#include "poet/solve.hpp"
#include "poet/units.hpp"

namespace poet {

/// What a sweep was asked for, as a user states it; a journal keeps it, so that the sweep can go
/// on.
struct SweepRequest {
  // What the results depend on.
  std::string models;
  std::string model_sha256;  ///< of their files, in the order of the list
  std::string platforms;
  std::string platform_sha256;
  bool min_ram = false;
  std::string ram_budget;
  std::string runtime_budget;
  std::string techniques = "both";
  std::int64_t batch_size = 1;
  double mem_power_scale = 1;
  std::string effort;
  std::string disabled;  ///< techniques of the solver that are off
  double gap = 1e-4;
  Seconds time_limit_seconds = 300;
  int threads = 1;
  std::uint32_t seed = 1;
  // What is written.
  std::string format = "jsonl";
  std::string csv;
  std::string plot;
  std::string schedules;
  bool require_optimal = false;

  bool operator==(const SweepRequest&) const = default;
};

/// Calls visit("key", &SweepRequest::member) for every member that results depend on.
template <typename Visit>
void visit_asked(Visit&& visit) {
  visit("models", &SweepRequest::models);
  visit("model_sha256", &SweepRequest::model_sha256);
  visit("platforms", &SweepRequest::platforms);
  visit("platform_sha256", &SweepRequest::platform_sha256);
  visit("min_ram", &SweepRequest::min_ram);
  visit("ram_budget", &SweepRequest::ram_budget);
  visit("runtime_budget", &SweepRequest::runtime_budget);
  visit("techniques", &SweepRequest::techniques);
  visit("batch_size", &SweepRequest::batch_size);
  visit("mem_power_scale", &SweepRequest::mem_power_scale);
  visit("effort", &SweepRequest::effort);
  visit("disabled", &SweepRequest::disabled);
  visit("gap", &SweepRequest::gap);
  visit("time_limit_seconds", &SweepRequest::time_limit_seconds);
  visit("solve_threads", &SweepRequest::threads);
  visit("seed", &SweepRequest::seed);
}

/// Likewise for every member that says what is written.
template <typename Visit>
void visit_written(Visit&& visit) {
  visit("format", &SweepRequest::format);
  visit("csv", &SweepRequest::csv);
  visit("plot", &SweepRequest::plot);
  visit("schedules", &SweepRequest::schedules);
  visit("require_optimal", &SweepRequest::require_optimal);
}

}  // namespace poet
