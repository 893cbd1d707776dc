#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "instance.hpp"
#include "measure.hpp"
#include "options.hpp"
#include "results_file.hpp"
#include "tally.hpp"

namespace poet::bench {

/// A line to stdout at once: a long run can be watched, and loses nothing when it is ended.
void say(const std::string& text);

/// The instances of the set that was asked for, filtered, and the shard of them.
std::vector<Instance> chosen_instances(const Options& options);

/// What is left of a list after --shard.
std::vector<Instance> sharded(const std::vector<Instance>& instances, const Options& options);

/// What each solve may do and use; `usual_limit` where no time limit was asked for.
Conditions conditions_of(const Options& options, Seconds usual_limit);

/// Where the measurements of a run go as they come: a table on stdout, and lines of JSON.
class Log {
 public:
  using Row = std::string (*)(const Measurement&);
  using Solve = std::function<Measurement()>;

  /// Throws InputError where the file of --jsonl cannot be written, or is of another run.
  explicit Log(const Options& options, const Conditions& conditions,
               const std::string& heading = table_heading(), Row row = table_row);

  /// Solves, unless the file has it: without the technique that is disabled, if any.
  void add(const Instance& instance, const std::string& disabled, const Solve& solve);
  /// Adds a row to the table only.
  void show(const Measurement& measurement);
  const std::vector<Measurement>& measurements() const { return measurements_; }

 private:
  Row row_;
  std::optional<ResultsFile> file_;
  std::vector<Measurement> measurements_;
};

/// Whether every solve ended well.
bool all_ok(const std::vector<Measurement>& measurements);

}  // namespace poet::bench
