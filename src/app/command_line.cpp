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

constexpr const char* kFirstCommands =
    R"(poet-solve decides how a neural network trains in too little RAM. To begin with:

  poet-solve --list-models                       what is built in; boards: --list-platforms
  poet-solve info ds_cnn --platform stm32f746    what training takes, without a solve
  poet-solve --model ds_cnn --platform stm32f746 --ram-budget 60% --runtime-budget 2 --output plan.json
  poet-solve plot plan.json --output plan.svg    RAM over time, and the life of every tensor

poet-solve --help shows every option, and poet-solve help COMMAND the options of a command.
)";

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
      "-V,--version",
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

/// CLI11's messages about the number of values, `--gap: 1 required REL missing` and `--gap: At Most
/// 1 required but received 2`, in the grammar of our errors.
std::string in_our_words(const std::string& message) {
  constexpr std::string_view kNeeds = ": 1 required ";
  constexpr std::string_view kMissing = " missing";
  constexpr std::string_view kMost = ": At Most 1 required but received ";
  if (const auto at = message.find(kMost); at != std::string::npos) {
    return fmt::format("{}: found {} values; expected one", message.substr(0, at),
                       message.substr(at + kMost.size()));
  }
  const auto at = message.find(kNeeds);
  if (at == std::string::npos || !message.ends_with(kMissing)) return message;
  const auto unit = at + kNeeds.size();
  return fmt::format("{}: needs a value, {}", message.substr(0, at),
                     message.substr(unit, message.size() - kMissing.size() - unit));
}

/// `-version` would be read as `-v -e ...`. Flags of one letter may stand together.
void refuse_single_dashes(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const bool is_long = word.size() > 2 && word[0] == '-' && word[1] >= 'a' && word[1] <= 'z';
    if (!is_long || word.find_first_not_of("qvhV", 1) == std::string::npos) continue;
    throw InputError(fmt::format("found '{0}'; expected two dashes, -{0}", printable(word, 80)));
  }
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

/// `help` and `help COMMAND` are --help.
void CommandLine::spell_out_help() {
  if (words_.size() < 2 || words_[1] != "help") return;
  if (words_.size() > 2 && find_command(words_[2]) == nullptr) {
    throw InputError(fmt::format("found 'help {}'; expected a command ({}){}",
                                 printable(words_[2], 80), fmt::join(command_names(), ", "),
                                 suggestion(words_[2], command_names())));
  }
  words_.erase(words_.begin() + 1);
  words_.emplace_back("--help");
}

Run CommandLine::parse(Session& session) {
  session.program = words_.front();
  if (words_.size() == 1) {
    return [](Session&) {
      fmt::print(stderr, "{}", kFirstCommands);
      return ExitCode::usage;
    };
  }
  spell_out_help();
  refuse_single_dashes(words_);
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
    throw InputError(fmt::format("{} (--help shows every option)", in_our_words(error.what())));
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
