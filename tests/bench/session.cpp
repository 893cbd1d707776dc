#include "session.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "poet/error.hpp"

namespace poet::bench {
namespace {

std::vector<Instance> whole_set(const Options& options) {
  if (options.set == "grid") return grid_instances(options.quick);
  if (options.set == "sample") return sample_instances(options.quick);
  if (options.set == "sample2") return second_sample_instances(options.quick);
  if (options.set == "layered") return layered_instances(options.quick);
  if (options.set == "exact") return exact_instances(options.quick);
  if (options.set == "inference") return inference_instances(options.quick);
  return named_instances(options.quick);
}

/// A whole number that fills the text, or 0.
int whole_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

}  // namespace

void say(const std::string& text) {
  fmt::print("{}\n", text);
  std::fflush(stdout);
}

std::vector<Instance> chosen_instances(const Options& options) {
  std::vector<Instance> instances;
  std::ranges::copy_if(whole_set(options), std::back_inserter(instances), [&](const Instance& i) {
    return i.name().find(options.filter) != std::string::npos;
  });
  if (instances.empty()) {
    throw InputError("--filter", fmt::format("no instance has '{}' in its name", options.filter));
  }
  return sharded(instances, options);
}

std::vector<Instance> sharded(const std::vector<Instance>& instances, const Options& options) {
  if (options.shard.empty()) return instances;
  const std::string_view text = options.shard;
  const std::size_t slash = text.find('/');
  const int part = whole_number(text.substr(0, slash));
  const int count = slash == text.npos ? 0 : whole_number(text.substr(slash + 1));
  if (part < 1 || count < part) {
    throw InputError("--shard", fmt::format("'{}'; expected a part and a number of parts, as in "
                                            "1/2 and 2/2",
                                            text));
  }
  return shard(instances, part, count);
}

Conditions conditions_of(const Options& options, Seconds usual_limit) {
  constexpr double kGibibyte = 1 << 30;
  return {
      .solve = {.settings = {.gap = options.gap,
                             .time_limit_seconds = options.time_limit_seconds.value_or(usual_limit),
                             .threads = options.solve_threads}},
      .memory_limit_bytes = static_cast<Bytes>(options.memory_limit_gib * kGibibyte)};
}

Log::Log(const Options& options, const Conditions& conditions, const std::string& heading, Row row)
    : row_(row) {
  if (!options.jsonl.empty()) file_.emplace(options.jsonl, conditions);
  say(heading);
}

void Log::add(const Instance& instance, const std::string& disabled, const Solve& solve) {
  const Measurement* const earlier = file_ ? file_->find(instance, disabled) : nullptr;
  if (earlier != nullptr) {
    show(*earlier);
    return;
  }
  show(solve());
  if (file_) file_->append(measurements_.back());
}

void Log::show(const Measurement& measurement) {
  measurements_.push_back(measurement);
  say(row_(measurement));
}

bool all_ok(const std::vector<Measurement>& measurements) {
  return std::ranges::all_of(measurements, &Measurement::ok);
}

}  // namespace poet::bench
