#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "formats/named_text.hpp"
#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/schedule_file.hpp"

namespace poet {

/// A model as a file is about it, in the given order, and the digest of its graph.
struct ModelOnPlatform {
  Model model;
  std::string graph_sha256;
};

/// What --model and --platform come to, by what a file states about it: its batch size, its
/// backward pass, its alignment, and what its transfers cost.
class ExpectedGraph {
 public:
  /// Either may be empty, but no platform stands without a model. Throws InputError, naming the
  /// option.
  ExpectedGraph(const std::string& model, const std::string& platform);

  /// The model as a file is about it, and the digest of its graph; null without --model.
  const ModelOnPlatform* of(const ScheduleFile& file);

  /// The graph of a document without a schedule, in its order; `about` has its model and its
  /// request. Throws InputError if the document is about another graph.
  Graph graph_of(const ProblemInfo& about) const;

  /// Null without --platform.
  const Platform* platform() const { return platform_ ? &*platform_ : nullptr; }

  /// What is wrong with the graph of a file, whose order is legal; empty if nothing is.
  std::string finding(const ScheduleFile& file);

 private:
  Model model(const ModelInfo& about) const;
  /// The graph of a model with its costs, in the given order.
  Graph graph(const Model& model, const Request& request) const;

  std::string model_name_, platform_name_;
  NamedText text_;  ///< of the model: stdin can be read only once
  std::optional<Platform> platform_;
  std::map<std::tuple<std::int64_t, std::string, Bytes, CopyMode, std::vector<std::string>, double,
                      bool, PagingTime, EnergyEnd>,
           ModelOnPlatform>
      known_;
};

}  // namespace poet
