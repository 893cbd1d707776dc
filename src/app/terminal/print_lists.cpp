#include "app/terminal/print_lists.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "formats/write_list.hpp"
#include "poet/units.hpp"

namespace poet::cli {
namespace {

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
      fmt::format("{:<12} {:>12} {:>12} {:>12} {:>12} {:>10}  {}\n", "platform", "FLOP/s", "FLOP/J",
                  "page-in B/s", "page-out B/s", "RAM", "description");
  for (const Platform& p : platforms) {
    text += fmt::format("{:<12} {:>12.4g} {:>12.4g} {:>12.4g} {:>12.4g} {:>10}  {}\n", p.name,
                        p.flops_per_second, p.flops_per_joule, p.page_in.bytes_per_second,
                        p.page_out.bytes_per_second, p.ram_bytes ? format_bytes(*p.ram_bytes) : "-",
                        p.description);
  }
  return text;
}

/// `padding [h, w] = 0`
std::string attribute_text(const AttributeRule& rule) {
  using Kind = AttributeRule::Kind;
  std::string text(rule.name);
  if (rule.kind == Kind::window || rule.kind == Kind::padding) text += " [h, w]";
  if (rule.kind == Kind::list || rule.kind == Kind::shape) text += " [...]";
  if (!rule.words.empty()) text += fmt::format(" ({})", fmt::join(rule.words, "|"));
  if (!rule.otherwise) return text;
  if (!rule.default_text.empty()) return fmt::format("{} = {}", text, rule.default_text);
  if (rule.kind == Kind::flag) return text + (*rule.otherwise != 0 ? " = true" : " = false");
  if (!rule.words.empty()) {
    return fmt::format("{} = {}", text, rule.words[static_cast<std::size_t>(*rule.otherwise)]);
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

}  // namespace

std::string print_lists(const Lists& wanted, bool compact) {
  BuiltIn lists;
  if (wanted.models) lists.models = all_models();
  if (wanted.platforms) lists.platforms = all_platforms();
  if (wanted.ops) lists.ops = op_rules();
  return wanted.json ? list_json(lists, compact) : tables(lists);
}

}  // namespace poet::cli
