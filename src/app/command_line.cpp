// A command line is parsed twice. The first pass takes the options that every command has, which
// may stand in front of the command's name, and stops at the first other word. The second is the
// command's own parser. The name may be left out, and then the command is `solve`.
//
// CLI11's message about a word that it does not know only repeats the word. refuse() replaces it:
// an option of another command is answered with the commands that have it, a misspelt one with the
// nearest name.

#include "app/command_line.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/command_paths.hpp"
#include "base/sha256.hpp"
#include "base/text/suggest.hpp"
#include "poet/error.hpp"
#include "poet/version.hpp"

namespace poet::cli {

// NOLINTNEXTLINE(readability-redundant-declaration): a unity build has the definition as well
extern const Command kSimulate;

namespace {

constexpr const char* kDescription =
    R"(Decides how a neural network trains in too little memory: which activations are kept,
recomputed, or paged to storage in each training step, with the least energy within a RAM
and a runtime budget, and a proven bound on how far from the optimum the answer can be.
The schedule is one JSON document on stdout; progress and messages are on stderr.)";

const Command& solve_command() {
  return *all_commands().front();
}

/// An old name is found and not listed.
const Command* find_command(const std::string& word) {
  for (const Command* known : all_commands()) {
    if (known->name == word) return known;
  }
  return word == kSimulate.name ? &kSimulate : nullptr;
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
std::string call_of(const Command& command) {
  return &command == &solve_command() ? "poet-solve" : fmt::format("poet-solve {}", command.name);
}

/// --quiet, --verbose, --log-file: every command has them, and they may precede its name.
void add_common_options(CLI::App& app, Session& session) {
  OptionGroup group(app);
  group.flag("-q,--quiet", session.quiet, "only errors on stderr");
  group.flag("-v,--verbose", session.verbose, "more on stderr");
  group.text("--log-file", session.log_file, "FILE", "write the log there as well");
}

/// Adds all that a command has to a parser: what --help shows is complete only after this.
/// `session` and the command's arguments have to outlive the parser, which writes into them.
Run add_everything(CLI::App& app, const Command& command, Session& session) {
  app.formatter(std::make_shared<HelpFormat>());
  app.set_help_flag("-h,--help", "show this text");
  app.set_version_flag(
      "--version",
      [&app, &session] { return version_text(session.verbose || app.count("--verbose") > 0); },
      "show the version; with -v, the program's SHA-256 as well");
  add_common_options(app, session);
  Run run = command.add(app);
  std::string footer = command.footer;
  if (&command == &solve_command()) {
    std::string commands = "Commands (poet-solve COMMAND --help shows the options of each):\n";
    for (const Command* known : all_commands()) {
      commands += help_entry(known->name, known->summary);
    }
    footer = commands + "\n" + footer;
  }
  app.footer(footer);
  return run;
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
  for (const Command* command : all_commands()) names.emplace_back(command->name);
  return names;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& names) {
  return did_you_mean(word, std::vector<std::string_view>(names.begin(), names.end()));
}

/// The commands that have this option, quoted.
/// To find them out, the parser of each command is built. That happens only for an option that is
/// wrong, so no second list of options has to be kept.
std::vector<std::string> owners(const std::string& option) {
  std::vector<std::string> names;
  for (const Command* command : all_commands()) {
    Session unused;
    CLI::App app;
    static_cast<void>(add_everything(app, *command, unused));
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
[[noreturn]] void refuse(const CLI::App& app, const Command& command, std::string word) {
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
  if (&command == &solve_command()) {
    throw InputError(fmt::format("found '{}'; expected an option or a command ({}){}",
                                 printable(word, 80), fmt::join(command_names(), ", "),
                                 suggestion(word, command_names())));
  }
  throw InputError(fmt::format("found '{}' after all that '{}' takes ({})", printable(word, 80),
                               command.name, help));
}

}  // namespace

Run CommandLine::parse(Session& session) {
  session.program = words_.front();
  try {
    // What every command has may precede the command.
    CLI::App common;
    common.set_help_flag();
    common.prefix_command();
    add_common_options(common, session);
    // CLI11 takes words from the back of a vector, so they are reversed.
    common.parse(std::vector<std::string>(words_.rbegin(), words_.rend() - 1));
    std::vector<std::string> words = common.remaining();
    const Command* command = words.empty() ? nullptr : find_command(words.front());
    if (command != nullptr) words.erase(words.begin());
    if (command == nullptr) command = &solve_command();
    error_document_ = command->error_document;
    app_.name(call_of(*command));
    app_.description(command == &solve_command() ? kDescription : command->summary);
    Run run = add_everything(app_, *command, session);
    parse_command(*command, words);
    check_paths(paths_of(app_, session.log_file));
    return run;
  } catch (const CLI::Success& success) {
    app_.exit(success);
    return {};
  } catch (const CLI::ParseError& error) {
    throw InputError(fmt::format("{} (--help shows every option)", error.what()));
  }
}

/// CLI11 reports the late command of `--gap 0 verify FILE` as a word too many. The option in front
/// of it was once ignored, so this has an error of its own.
void CommandLine::parse_command(const Command& command, const std::vector<std::string>& words) {
  try {
    app_.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ParseError& error) {
    if (&command == &solve_command()) refuse_late_command(words.front());
    if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) throw;
    refuse(app_, command, app_.remaining().front());
  }
}

/// Options in front of a command would be taken for options of `solve`. What they say of files is
/// not for the command's result, so the error leaves no document.
void CommandLine::refuse_late_command(const std::string& first) {
  for (const std::string& word : app_.remaining()) {
    if (find_command(word) == nullptr) continue;
    error_document_ = false;
    throw InputError(first.substr(0, first.find('=')),
                     fmt::format("found before '{0}'; the options of a command follow its name "
                                 "(poet-solve {0} --help)",
                                 word));
  }
}

/// Asks the parser and not the command: if parsing fails, the command has not seen its arguments,
/// yet --output may have been read before the option that is wrong.
std::optional<Destination> CommandLine::error_destination() const {
  if (!error_document_) return std::nullopt;
  const auto given = [&](const char* name) {
    const CLI::Option* const option = app_.get_option_no_throw(name);
    return option != nullptr && option->count() > 0 ? option : nullptr;
  };
  Destination to{.replace = given("--replace") != nullptr,
                 .compact = given("--compact") != nullptr};
  if (const CLI::Option* const output = given("--output")) to.output = output->results().front();
  try {
    check_apart(paths_of(app_, {}));
  } catch (const InputError&) {
    to.output.clear();  // it may be an input, which must not be lost
  }
  return to;
}

}  // namespace poet::cli
