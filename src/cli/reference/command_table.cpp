#include "cli/reference/command_table.hpp"

#include <algorithm>

#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "sweep/names.hpp"

namespace poet::cli {
namespace {

std::vector<std::string> technique_sets() {
  std::vector<std::string> words;
  for (const auto& [set, name] : kTechniqueSetNames) words.emplace_back(name);
  return words;
}

/// `fast|default|proof` as words; nothing for `NAME|FILE`, which is no list of values.
std::vector<std::string> choices(const std::string& value) {
  std::vector<std::string> words;
  const bool plain = std::all_of(value.begin(), value.end(),
                                 [](char c) { return (c >= 'a' && c <= 'z') || c == '|'; });
  if (!plain || value.find('|') == std::string::npos) return words;
  std::size_t start = 0;
  while (start <= value.size()) {
    const std::size_t end = std::min(value.find('|', start), value.size());
    words.push_back(value.substr(start, end - start));
    start = end + 1;
  }
  return words;
}

/// What the name of an option and that of its value say about its values.
Values values_of(const OptionEntry& entry) {
  const auto is = [&](const char* name) {
    return std::find(entry.names.begin(), entry.names.end(), name) != entry.names.end();
  };
  Values values{.words = choices(entry.value),
                .files = entry.value.find("FILE") != std::string::npos,
                .folders = entry.value == "DIR",
                .list = entry.value == "LIST"};
  if (is("--model") || is("--models")) values.words = builtin_models();
  if (is("--platform") || is("--platforms")) values.words = builtin_platforms();
  if (is("--techniques")) values.words = technique_sets();
  return values;
}

OptionEntry option_entry(const CLI::Option& option) {
  OptionEntry entry{.value = option.get_type_size() == 0 ? "" : option.get_type_name(),
                    .fallback = option.get_default_str(),
                    .description = option.get_description(),
                    .group = option.get_group(),
                    .required = option.get_required()};
  for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  if (entry.names.empty()) entry.names.push_back(option.get_name(true));
  entry.values = values_of(entry);
  return entry;
}

}  // namespace

CommandEntry command_table(const CLI::App& app) {
  CommandEntry table{.description = app.get_description(), .footer = app.get_footer()};
  if (app.get_parent() != nullptr) table.name = app.get_name();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    (option->get_positional() ? table.arguments : table.options).push_back(option_entry(*option));
  }
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    table.commands.push_back(command_table(*command));
  }
  return table;
}

}  // namespace poet::cli
