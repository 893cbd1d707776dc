// People read tables of a graph's nodes, of built-in models and of platforms. Programs read the
// same as JSON, from write_list.cpp. Columns have fixed widths, wide enough for the built-in
// models; a longer name moves its own line and no other.

#include "formats/write_tables.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/printable.hpp"
#include "formats/write_list.hpp"
#include "model/chip_ram.hpp"
#include "model/fields.hpp"
#include "poet/units.hpp"

namespace poet {
namespace {

// Six digits show what differs between nodes; the JSON has all digits.
std::string costs(const NodeFigures& node) {
  if (!node.runtime_seconds || !node.energy_joules) return {};
  return fmt::format("{:>13.6g} {:>13.6g}  ", *node.runtime_seconds, *node.energy_joules);
}

std::string shape_text(const Shape& shape) {
  return fmt::format("{}", fmt::join(shape, "x"));
}

/// The inputs of a node, those that it reads as views with the shape in which it does.
std::string inputs_of(const NodeFigures& node) {
  std::string text;
  for (const int input : node.inputs) {
    text += fmt::format("{}{}", text.empty() ? "" : " ", input);
    for (const Operand& view : node.views) {
      if (view.node == input) text += fmt::format(" (as {})", shape_text(view.shape));
    }
  }
  return text;
}

// Figures of models are counted anew for each table, so that no list of them can fall behind.
std::vector<ModelReport> all_models() {
  std::vector<ModelReport> models;
  for (const std::string& name : builtin_models()) {
    models.push_back(model_report(load_model(name), nullptr));
  }
  return models;
}

std::vector<Platform> all_platforms() {
  std::vector<Platform> platforms;
  for (const std::string& name : builtin_platforms()) platforms.push_back(load_platform(name));
  return platforms;
}

std::string table(const std::vector<ModelReport>& models) {
  std::string text = fmt::format("{:<22} {:>6} {:>8} {:>12} {:>14} {:>14}\n", "model", "nodes",
                                 "forward", "parameters", "baseline peak", "working set");
  for (const ModelReport& m : models) {
    text += fmt::format("{:<22} {:>6} {:>8} {:>12} {:>14} {:>14}\n", m.model.name,
                        m.model.node_count, m.model.forward_node_count, m.parameter_count,
                        format_bytes(m.baseline_peak_ram_bytes), format_bytes(m.working_set_bytes));
  }
  return text;
}

std::string table(const std::vector<Platform>& platforms) {
  std::string text =
      fmt::format("{:<15} {:>12} {:>12} {:>12} {:>12} {:>10}  {:<9}  {}\n", "platform", "FLOP/s",
                  "FLOP/J", "page-in B/s", "page-out B/s", "RAM", "figures", "description");
  for (const Platform& p : platforms) {
    const std::optional<Standing> standing = standing_of(p);
    text += fmt::format("{:<15} {:>12.4g} {:>12.4g} {:>12.4g} {:>12.4g} {:>10}  {:<9}  {}\n",
                        p.name, p.flops_per_second, p.flops_per_joule, p.page_in.bytes_per_second,
                        p.page_out.bytes_per_second, p.ram_bytes ? format_bytes(*p.ram_bytes) : "-",
                        standing ? name_of(*standing) : "-", p.description);
  }
  return text;
}

using Kind = AttributeRule::Kind;

/// `padding [h, w] = 0`
std::string attribute_text(const AttributeRule& rule) {
  std::string text(rule.name);
  if (rule.kind == Kind::window || rule.kind == Kind::padding) text += " [h, w]";
  if (rule.kind == Kind::list || rule.kind == Kind::shape) text += " [...]";
  if (!rule.words.empty()) text += fmt::format(" ({})", fmt::join(rule.words, "|"));
  if (rule.is_required()) return text;
  if (!rule.default_text.empty()) return fmt::format("{} = {}", text, rule.default_text);
  if (rule.kind == Kind::number) return fmt::format("{} = {}", text, rule.usual_number);
  if (rule.kind == Kind::flag) return text + (*rule.otherwise != 0 ? " = true" : " = false");
  if (!rule.words.empty()) {
    return fmt::format("{} = {}", text, rule.words[*rule.otherwise]);
  }
  return fmt::format("{} = {}", text, *rule.otherwise);
}

/// `2`, or `1+` for any number from 1 on
std::string input_text(const InputCount& count) {
  return fmt::format("{}{}", count.least, count.most > count.least ? "+" : "");
}

std::string table(std::span<const OpRule> ops) {
  std::string text = fmt::format("{:<20} {:>6}  {}\n", "op", "inputs",
                                 "attributes (= default; [h, w]: or one number for both)");
  for (const OpRule& op : ops) {
    std::string attributes;
    for (const AttributeRule& rule : op.attributes) {
      attributes += (attributes.empty() ? "" : ", ") + attribute_text(rule);
    }
    text += fmt::format("{:<20} {:>6}  {}\n", op.name, input_text(op.input_count),
                        attributes.empty() ? "-" : attributes);
  }
  return text;
}

/// One table after the other, with an empty line between them.
std::string tables(const BuiltIn& lists) {
  std::string text;
  const auto add = [&](const auto& list) {
    if (!list) return;
    if (!text.empty()) text += '\n';
    text += table(*list);
  };
  add(lists.models);
  add(lists.platforms);
  add(lists.ops);
  return text;
}

// The exact number comes first, as budgets and differences between versions are of bytes.
std::string exact_size(Bytes bytes) {
  return bytes < 1024 ? fmt::format("{} bytes", bytes)
                      : fmt::format("{} bytes ({})", bytes, format_bytes(bytes));
}

std::string sizes_of(const ModelReport& report) {
  if (report.platform) {
    return fmt::format("{} ({})", printable(report.platform->name),
                       printable(report.platform->source));
  }
  return report.element_bytes ? fmt::format("none; sizes at {} bytes an element, costs unknown",
                                            *report.element_bytes)
                              : "none; the model states its costs";
}

// Figures in the order in which they matter before a solve; the last one is what no schedule gets
// below.
std::string info_summary(const ModelReport& report) {
  std::string text;
  const auto add = [&](const char* what, const std::string& value) {
    text += fmt::format("{:<12} {}\n", what, value);
  };
  const ModelInfo& model = report.model;
  add("model", fmt::format("{} ({}), batch size {}", printable(model.name), printable(model.source),
                           model.batch_size));
  add("platform", sizes_of(report));
  add("nodes",
      fmt::format("{}: {} forward, {} backward ({})", model.node_count, model.forward_node_count,
                  model.node_count - model.forward_node_count, model.backward));
  if (model.backward != "explicit") {  // whose parameters are known in bytes alone
    add("parameters", fmt::format("{}", report.parameter_count));
  }
  if (report.memory) add("besides", "in RAM beside tensors " + beside_tensors(*report.memory));
  add("FLOPs", fmt::format("{} to compute every node once", report.flop));
  if (report.baseline_energy_joules && report.baseline_runtime_seconds) {
    add("baseline", fmt::format("{} and {} to compute every node once",
                                format_joules(*report.baseline_energy_joules),
                                format_seconds(*report.baseline_runtime_seconds)));
  }
  add("peak RAM", exact_size(report.baseline_peak_ram_bytes) + " if everything is kept");
  add("working set",
      fmt::format("{}: no schedule needs less RAM, because of node {} ('{}', {})",
                  exact_size(report.working_set_bytes), report.working_set_node,
                  printable(report.working_set_node_name), printable(report.working_set_node_op)));
  return text;
}

/// What gradients read copies of, largest saving first: the tensors that are worth a thought.
std::string copies_table(const std::vector<CopiedTensor>& copied) {
  if (copied.empty()) return {};
  const auto saved = [](const CopiedTensor& each) { return each.bytes - each.copy_bytes; };
  std::vector<CopiedTensor> sorted = copied;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const auto& a, const auto& b) { return saved(a) > saved(b); });
  std::string text = fmt::format("\n{:<24} {:>12} {:>12} {:>12}\n", "copied tensor", "bytes",
                                 "of the copy", "saved");
  for (const CopiedTensor& each : sorted) {
    text += fmt::format("{:<24} {:>12} {:>12} {:>12}\n", printable(each.tensor), each.bytes,
                        each.copy_bytes, saved(each));
  }
  return text;
}

}  // namespace

std::string node_table(const std::vector<NodeFigures>& nodes, bool with_costs) {
  const std::string costs_heading =
      with_costs ? fmt::format("{:>13} {:>13}  ", "runtime s", "energy J") : std::string();
  std::string text =
      fmt::format("{:>5} {:<24} {:<20} {:<18} {:>10} {:>14} {:>12}  {}{}\n", "node", "name", "op",
                  "shape", "parameters", "flop", "bytes", costs_heading, "inputs");
  for (const NodeFigures& node : nodes) {
    text += fmt::format("{:>5} {:<24} {:<20} {:<18} {:>10} {:>14} {:>12}  {}{}\n", node.node,
                        node.name, node.op, shape_text(node.shape), node.parameter_count, node.flop,
                        node.bytes, with_costs ? costs(node) : std::string(), inputs_of(node));
  }
  return text;
}

std::string power_table(const Graph& graph, bool with_paging_times) {
  const auto times = [&](Seconds in, Seconds out) {
    return with_paging_times ? fmt::format(" {:>13.6g} {:>13.6g}", in, out) : std::string();
  };
  std::string text = fmt::format(
      "{:>5} {:<24} {:>13} {:>13} {:>13} {:>13}{}\n", "node", "name", "runtime s", "energy J",
      "page-in J", "page-out J",
      with_paging_times ? fmt::format(" {:>13} {:>13}", "page-in s", "page-out s") : std::string());
  for (int i = 0; i < graph.size(); ++i) {
    const Node& node = graph.nodes[i];
    text += fmt::format("{:>5} {:<24} {:>13.6g} {:>13.6g} {:>13.6g} {:>13.6g}{}\n", i, node.name,
                        node.runtime_seconds, node.energy_joules, node.page_in_energy_joules,
                        node.page_out_energy_joules,
                        times(node.page_in_seconds, node.page_out_seconds));
  }
  return text;
}

std::string info_text(const ModelReport& report) {
  return info_summary(report) + "\n" +
         node_table(report.nodes, report.baseline_energy_joules.has_value()) +
         copies_table(report.copied_tensors);
}

std::string list_text(const Lists& wanted, bool compact) {
  BuiltIn lists;
  if (wanted.models) lists.models = all_models();
  if (wanted.platforms) lists.platforms = all_platforms();
  if (wanted.ops) lists.ops = op_rules();
  return wanted.json ? list_json(lists, compact) : tables(lists);
}

}  // namespace poet
