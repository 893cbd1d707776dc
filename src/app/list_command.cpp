#include <cstdio>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "formats/write_list.hpp"
#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/problem.hpp"

namespace poet::cli {
namespace {

std::vector<Platform> all_platforms() {
  std::vector<Platform> platforms;
  for (const std::string& name : builtin_platforms()) platforms.push_back(load_platform(name));
  return platforms;
}

/// Sizes need an element size; all built-in platforms agree on four bytes.
std::vector<ModelListing> all_models() {
  const Platform any = all_platforms().front();
  std::vector<ModelListing> models;
  for (const std::string& name : builtin_models()) {
    const Model model = load_model(name);
    const Graph graph = cost_graph(model, &any);
    models.push_back({.name = name,
                      .node_count = graph.size(),
                      .forward_node_count = graph.first_backward,
                      .baseline_peak_ram_bytes = baseline(graph).peak_ram_bytes,
                      .working_set_bytes = working_set(graph).bytes});
  }
  return models;
}

void print_models(const std::vector<ModelListing>& models) {
  fmt::print(stderr, "{:<16} {:>6} {:>8} {:>16} {:>16}\n", "model", "nodes", "forward",
             "baseline peak B", "working set B");
  for (const ModelListing& m : models) {
    fmt::print(stderr, "{:<16} {:>6} {:>8} {:>16} {:>16}\n", m.name, m.node_count,
               m.forward_node_count, m.baseline_peak_ram_bytes, m.working_set_bytes);
  }
}

void print_platforms(const std::vector<Platform>& platforms) {
  fmt::print(stderr, "{:<12} {:>12} {:>12} {:>12} {:>12}  {}\n", "platform", "FLOP/s", "FLOP/J",
             "page-in B/s", "page-out B/s", "description");
  for (const Platform& p : platforms) {
    fmt::print(stderr, "{:<12} {:>12.4g} {:>12.4g} {:>12.4g} {:>12.4g}  {}\n", p.name,
               p.flops_per_second, p.flops_per_joule, p.page_in.bytes_per_second,
               p.page_out.bytes_per_second, p.description);
  }
}

}  // namespace

Outcome run_list(const Options& options) {
  if (options.json) {
    const auto models = options.list_models ? all_models() : std::vector<ModelListing>{};
    const auto platforms = options.list_platforms ? all_platforms() : std::vector<Platform>{};
    return {.document = list_json(options.list_models ? &models : nullptr,
                                  options.list_platforms ? &platforms : nullptr, options.compact),
            .output = options.output};
  }
  if (options.list_models) print_models(all_models());
  if (options.list_platforms) print_platforms(all_platforms());
  return {};
}

}  // namespace poet::cli
