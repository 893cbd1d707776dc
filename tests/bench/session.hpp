#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "instance.hpp"
#include "measure.hpp"
#include "options.hpp"
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

  explicit Log(const Options& options, const std::string& heading = table_heading(),
               Row row = table_row);

  void add(const Measurement& measurement);
  const std::vector<Measurement>& measurements() const { return measurements_; }

 private:
  Row row_;
  std::ofstream jsonl_;
  std::vector<Measurement> measurements_;
};

/// Whether every solve ended well.
bool all_ok(const std::vector<Measurement>& measurements);

}  // namespace poet::bench
