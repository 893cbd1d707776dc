// The graph that a schedule file should be about, from the model and the platform that a user
// names. Files of one sweep differ in budgets and agree in nearly all else, so graphs are kept by
// what they depend on, and a folder of files builds few of them. Graphs are compared by digest, in
// the given order of the nodes: a file in another order is about the same problem.

#include "runs/expected_graph.hpp"

#include <fmt/format.h>

#include "base/input_errors.hpp"
#include "report/fields.hpp"
#include "runs/load_grid.hpp"

namespace poet {

ExpectedGraph::ExpectedGraph(const std::string& model, const std::string& platform)
    : model_name_(model), platform_name_(platform) {
  if (!platform.empty() && model.empty()) {
    throw InputError("--platform", "found without --model; expected both, or --model alone");
  }
  if (model.empty()) return;
  text_ = with_place("--model", [&] { return find_text(model, "model", embedded_models()); });
  static_cast<void>(this->model({}));
  if (platform.empty()) return;
  platform_ = with_place("--platform", [&] { return load_platform(platform); });
}

const ModelOnPlatform* ExpectedGraph::of(const ScheduleFile& file) {
  if (model_name_.empty()) return nullptr;
  const Request& request = file.request;
  const Limits& limits = request.limits;
  const ModelInfo& about = file.model;
  const std::tuple key(about.batch_size, about.backward, about.alignment, about.copies.mode,
                       about.copies.tensors, request.settings.mem_power_scale,
                       limits.techniques.paging, limits.paging_time, request.at);
  auto known = known_.find(key);
  if (known == known_.end()) {
    ModelOnPlatform made{.model = model(about)};
    made.graph_sha256 = graph_sha256(graph(made.model, request), limits.paging_time);
    known = known_.emplace(key, std::move(made)).first;
  }
  return &known->second;
}

Graph ExpectedGraph::graph_of(const ProblemInfo& about) const {
  Graph given = graph(model(*about.model), *about.request);
  const std::string found = graph_sha256(given, about.request->limits.paging_time);
  if (found != about.graph_sha256) {
    throw InputError("--model",
                     fmt::format("the graph's digest is {:.12}...; the document is about "
                                 "{:.12}...",
                                 found, about.graph_sha256.value_or("no graph")));
  }
  const NodeOrder& order = about.model->order;
  return order.empty() ? given : permuted(given, order);
}

std::string ExpectedGraph::finding(const ScheduleFile& file) {
  const ModelOnPlatform* const expected = of(file);
  if (expected == nullptr) return {};
  const std::string found = given_graph_sha256(file);
  if (found == expected->graph_sha256) return {};
  const std::string on = platform_ ? fmt::format(" on '{}'", platform_name_) : std::string();
  return fmt::format(
      "the graph's digest is {:.12}...; expected {:.12}..., as of model '{}'{} with batch size "
      "{}: solve it again",
      found, expected->graph_sha256, model_name_, on, file.model.batch_size);
}

Graph ExpectedGraph::graph(const Model& model, const Request& request) const {
  return priced(model, platform_,
                {.techniques = request.limits.techniques,
                 .settings = request.settings,
                 .at = request.at})
      .graph;
}

/// A file states which backward pass it was solved with.
Model ExpectedGraph::model(const ModelInfo& about) const {
  std::optional<Backward> wanted = value_of<Backward>(about.backward);
  if (wanted == Backward::explicit_nodes) wanted.reset();
  Model model = with_place(
      "--model", [&] { return parse_model(text_.text, text_.place, about.batch_size, wanted); });
  model.alignment = about.alignment;
  return with_place("--model", [&] { return with_copies(model, about.copies); });
}

}  // namespace poet
