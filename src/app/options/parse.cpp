#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/options/command_syntax.hpp"
#include "app/options/setting_options.hpp"
#include "base/sha256.hpp"
#include "base/text/suggest.hpp"
#include "poet/error.hpp"
#include "poet/version.hpp"

namespace poet::cli {
namespace {

constexpr const char* kDescription =
    "Decides how a neural network trains in too little memory: which activations are kept,\n"
    "recomputed, or paged to storage in each training step, with the least energy within a RAM\n"
    "and a runtime budget, and a proven bound on how far from the optimum the answer can be.\n"
    "The schedule is one JSON document on stdout; progress and messages are on stderr.";

constexpr std::array kCommands{
    &kSolveSyntax, &kImportSyntax,   &kImportSolutionSyntax, &kInfoSyntax,   &kVerifySyntax,
    &kPlotSyntax,  &kSimulateSyntax, &kPlaceSyntax,          &kRunSyntax,    &kExportSyntax,
    &kFitSyntax,   &kSweepSyntax,    &kBaselinesSyntax,      &kCompareSyntax};

const CommandSyntax* find_command(const std::string& word) {
  const auto at = std::find_if(kCommands.begin(), kCommands.end(),
                               [&](const CommandSyntax* known) { return known->name == word; });
  return at == kCommands.end() ? nullptr : *at;
}

/// The digest tells builds of the same version apart, as the journals of sweeps do.
std::string version_text(bool verbose) {
  std::string version = std::string("poet-solve ") + POET_VERSION;
  if (!verbose) return version;
  const std::string digest = program_sha256();
  return fmt::format("{}\nsha256 {}", version,
                     digest.empty() ? "unknown: the program's file cannot be read" : digest);
}

/// How to call a command, `solve` as it is usually called.
std::string call_of(const CommandSyntax& command) {
  return command.command == Command::solve ? "poet-solve"
                                           : fmt::format("poet-solve {}", command.name);
}

void add_everything(CLI::App& app, const CommandSyntax& command, Options& options) {
  app.formatter(std::make_shared<HelpFormat>());
  app.set_help_flag("-h,--help", "show this text");
  app.set_version_flag(
      "--version",
      [&app, &options] { return version_text(options.verbose || app.count("--verbose") > 0); },
      "show the version; with -v, the program's SHA-256 as well");
  add_common_options(app, options);
  command.add_options(app, options);
  std::string footer = command.footer;
  if (command.command == Command::solve) {
    std::string commands = "Commands (poet-solve COMMAND --help shows the options of each):\n";
    for (const CommandSyntax* known : kCommands)
      commands += help_entry(known->name, known->summary);
    footer = commands + "\n" + footer;
  }
  app.footer(footer);
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  names.reserve(kCommands.size());
  for (const CommandSyntax* command : kCommands) names.emplace_back(command->name);
  return names;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& names) {
  return did_you_mean(word, std::vector<std::string_view>(names.begin(), names.end()));
}

/// The commands that have this option, quoted.
std::vector<std::string> owners(const std::string& option) {
  std::vector<std::string> names;
  names.reserve(kCommands.size());
  for (const CommandSyntax* command : kCommands) {
    Options unused;
    CLI::App app;
    add_everything(app, *command, unused);
    if (app.get_option_no_throw(option) != nullptr) {
      names.push_back(fmt::format("'{}'", command->name));
    }
  }
  return names;
}

/// `'solve'`, `'solve' and 'sweep'`, `'solve', 'info' and 'sweep'`
std::string enumeration(const std::vector<std::string>& names) {
  const auto most = names.begin() + static_cast<std::ptrdiff_t>(names.size()) - 1;
  const std::string text = fmt::format("{}", fmt::join(names.begin(), most, ", "));
  return text.empty() ? names.back() : fmt::format("{} and {}", text, names.back());
}

/// Refuses the first word that the command could not take, and says where it belongs.
[[noreturn]] void refuse(const CLI::App& app, const CommandSyntax& command, std::string word) {
  const std::string help = call_of(command) + " --help";
  if (word.starts_with('-')) {
    word.resize(std::min(word.find('='), word.size()));
    const std::vector<std::string> others = owners(word);
    if (!others.empty()) {
      throw InputError(
          word, fmt::format("'{}' does not have it; {} {} ({})", command.name, enumeration(others),
                            others.size() == 1 ? "does" : "do", help));
    }
    throw InputError(fmt::format("found the unknown option '{}'{} ({} shows every option)",
                                 printable(word, 80), suggestion(word, option_names(app)), help));
  }
  if (command.command == Command::solve) {
    throw InputError(fmt::format("found '{}'; expected an option or a command ({}){}",
                                 printable(word, 80), fmt::join(command_names(), ", "),
                                 suggestion(word, command_names())));
  }
  throw InputError(fmt::format("found '{}' after all that '{}' takes ({})", printable(word, 80),
                               command.name, help));
}

/// Options in front of a command would be taken for those of `solve`. What they say of files is not
/// for the command's result, so the error leaves no document.
void refuse_late_command(const std::vector<std::string>& unexpected, const std::string& first,
                         Options& options) {
  for (const std::string& word : unexpected) {
    if (find_command(word) == nullptr) continue;
    options.error_document = false;
    throw InputError(first.substr(0, first.find('=')),
                     fmt::format("found before '{0}'; the options of a command follow its name "
                                 "(poet-solve {0} --help)",
                                 word));
  }
}

/// Whether an option describes what to solve, or a setting that a resumed sweep cannot change.
bool has_request(const CLI::App& app) {
  bool found = false;
  visit_setting_options([&](const auto& option) {
    found = found || (!option.may_change && app.count(option.name) > 0);
  });
  const std::vector<const CLI::Option*> all = app.get_options();
  return found || std::any_of(all.begin(), all.end(), [](const CLI::Option* option) {
           return option->count() > 0 && option->get_group() == kWhatToSolve;
         });
}

/// Parses the words of one command. `options` learn where the document goes whatever is wrong with
/// the words around --output.
void parse_command(CLI::App& app, const CommandSyntax& command,
                   const std::vector<std::string>& words, Options& options) {
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    if (dynamic_cast<const CLI::Success*>(&error) != nullptr) throw;
    const CLI::Option* output = app.get_option_no_throw("--output");
    if (output != nullptr && output->count() > 0) options.output = output->results().front();
    const auto given = [&](const char* name) {
      const CLI::Option* option = app.get_option_no_throw(name);
      return option != nullptr && option->count() > 0;
    };
    options.compact = given("--compact");
    options.replace = given("--replace");
    if (command.command == Command::solve) {
      refuse_late_command(app.remaining(), words.front(), options);
    }
    if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) throw;
    refuse(app, command, app.remaining().front());
  }
}

}  // namespace

bool parse(int argc, const char* const* argv, Options& options) {
  options.program = argv[0];
  CLI::App app;
  try {
    // What every command has may precede the command.
    CLI::App common;
    common.set_help_flag();
    common.prefix_command();
    add_common_options(common, options);
    common.parse(argc, argv);
    std::vector<std::string> words = common.remaining();
    const CommandSyntax* command = words.empty() ? nullptr : find_command(words.front());
    if (command != nullptr) words.erase(words.begin());
    if (command == nullptr) command = &kSolveSyntax;
    options.command = command->command;
    options.error_document = command->error_document;
    const bool is_solve = command == &kSolveSyntax;
    app.name(call_of(*command));
    app.description(is_solve ? kDescription : command->summary);
    add_everything(app, *command, options);
    parse_command(app, *command, words, options);
  } catch (const CLI::Success& success) {
    app.exit(success);
    return false;
  } catch (const CLI::ParseError& error) {
    throw InputError(fmt::format("{} (--help shows every option)", error.what()));
  }
  if (app.get_option_no_throw("--effort") != nullptr) {
    options.sweep.changes = apply_effort(app, options.settings);
    options.sweep.has_request = has_request(app);
  }
  return true;
}

}  // namespace poet::cli
