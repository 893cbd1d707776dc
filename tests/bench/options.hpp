#pragma once

#include <optional>
#include <string>
#include <vector>

#include "poet/units.hpp"

namespace poet::bench {

/// The command line.
struct Options {
  std::string set = "named";
  std::string filter;
  std::string shard;
  std::string jsonl;
  std::string best_known = POET_BEST_KNOWN;
  std::string update_best;
  std::vector<std::string> merge;
  bool quick = false;
  bool list = false;
  bool ablation = false;
  bool poet_baseline = false;
  bool scale = false;
  std::optional<Seconds> time_limit_seconds;  ///< per solve; 0: none
  double gap = 1e-4;
  int solve_threads = 1;
  double memory_limit_gib = 8;
};

/// The modes. Each prints its table and returns the exit status: 1 where a schedule is invalid, a
/// solve failed, or two answers contradict each other. Throws InputError for bad input.
int run_set(const Options& options);
int run_merge(const Options& options);
int run_ablation(const Options& options);
int run_poet_baseline(const Options& options);
int run_scale(const Options& options);

}  // namespace poet::bench
