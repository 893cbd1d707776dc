#include "cli/reference/man_page.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/reference/footer.hpp"
#include "poet/version.hpp"

namespace poet::cli {
namespace {

constexpr const char* kName =
    "energy\\-optimal training schedules under a RAM budget, with a proven bound";

constexpr const char* kEnd = R"(.SH FILES
.TP
.IR FILE .partial
What a sweep to
.I FILE
has finished, while it runs and after it was stopped;
.B \-\-resume
goes on from there.
.SH SEE ALSO
.BR dot (1),
.BR parallel (1)
.PP
The formats of models, platforms, schedules and results are described in the files of the source's
folder
.IR docs .
)";

/// Text in which roff finds nothing to interpret, one line after the other.
std::string escaped(const std::string& text) {
  std::string result;
  bool starts_line = true;
  for (const char c : text) {
    if (starts_line && (c == '.' || c == '\'')) result += "\\&";
    starts_line = c == '\n';
    switch (c) {
      case '\\':
        result += "\\e";
        break;
      case '-':
        result += "\\-";
        break;
      case '~':
        result += "\\(ti";
        break;
      case '^':
        result += "\\(ha";
        break;
      case '`':
        result += "\\(ga";
        break;
      case '\'':
        result += "\\(aq";
        break;
      case '"':
        result += "\\(dq";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string option_tag(const OptionEntry& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) {
    names.push_back(fmt::format("\\fB{}\\fR", escaped(name)));
  }
  std::string tag = fmt::format("{}", fmt::join(names, ", "));
  if (option.takes_value()) tag += fmt::format(" \\fI{}\\fR", escaped(option.value));
  return tag;
}

std::string option_paragraph(const OptionEntry& option) {
  std::string text = option.description;
  if (!option.fallback.empty()) text += fmt::format(" (default: {})", option.fallback);
  return fmt::format(".TP\n{}\n{}\n", option_tag(option), escaped(text));
}

std::string options_of(const CommandEntry& command) {
  std::string text;
  for (const OptionEntry& option : command.options) text += option_paragraph(option);
  return text;
}

/// The options of the program under the headings of --help, in the order of their appearance.
std::string grouped_options(const CommandEntry& program) {
  std::vector<std::string> groups;
  for (const OptionEntry& option : program.options) {
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) {
      groups.push_back(option.group);
    }
  }
  // --help has the general ones first; here the problem comes first, as it does on a command line.
  std::rotate(groups.begin(), groups.begin() + 1, groups.end());
  std::string text;
  for (const std::string& group : groups) {
    text += fmt::format(".SS {}\n", group == "Options" ? "Other options" : escaped(group));
    for (const OptionEntry& option : program.options) {
      if (option.group == group) text += option_paragraph(option);
    }
  }
  return text;
}

std::string synopsis(const CommandEntry& command) {
  std::string line = "\\fBpoet\\-solve";
  if (!command.name.empty()) line += " " + command.name;
  line += "\\fR [\\fIoptions\\fR]";
  for (const OptionEntry& argument : command.arguments) {
    line += fmt::format(" \\fI{}\\fR", escaped(argument.names.front()));
  }
  return line + "\n";
}

std::string paragraphs(const Footer& footer) {
  std::string text;
  for (const std::string& paragraph : footer.paragraphs) {
    text += fmt::format(".PP\n{}\n", escaped(paragraph));
  }
  return text;
}

std::string status_list(const Footer& footer) {
  std::string text;
  for (const auto& [code, meaning] : footer.statuses) {
    text += fmt::format(".TP\n.B {}\n{}\n", code, escaped(meaning));
  }
  return text;
}

std::string examples(const CommandEntry& command) {
  const std::string lines = split_footer(command.footer).examples;
  if (lines.empty()) return {};
  return fmt::format(".PP\n.EX\n{}\n.EE\n", escaped(lines));
}

/// A phrase as a sentence.
std::string sentence(std::string phrase) {
  if (!phrase.empty() && phrase[0] >= 'a' && phrase[0] <= 'z') phrase[0] += 'A' - 'a';
  return phrase + ".";
}

std::string command_section(const CommandEntry& command) {
  const Footer footer = split_footer(command.footer);
  std::string text = fmt::format(".SS {}\n{}.PP\n{}\n{}", command.name, synopsis(command),
                                 escaped(sentence(command.description)), paragraphs(footer));
  for (const OptionEntry& argument : command.arguments) {
    text += fmt::format(".TP\n\\fI{}\\fR\n{}\n", escaped(argument.names.front()),
                        escaped(argument.description));
  }
  text += options_of(command);
  if (!footer.statuses.empty()) text += ".PP\nExit status:\n" + status_list(footer);
  return text;
}

}  // namespace

std::string man_page(const CommandEntry& program) {
  const Footer footer = split_footer(program.footer);
  std::string page = fmt::format(
      ".\\\" Written by poet\\-solve \\-\\-man.\n"
      ".TH POET\\-SOLVE 1 \"\" \"poet\\-solve {}\" \"User Commands\"\n"
      ".SH NAME\npoet\\-solve \\- {}\n.SH SYNOPSIS\n{}",
      POET_VERSION, kName, synopsis(program));
  for (const CommandEntry& command : program.commands) page += ".br\n" + synopsis(command);
  page += fmt::format(".SH DESCRIPTION\n{}\n{}", escaped(program.description), paragraphs(footer));
  page += ".SH COMMANDS\nWithout a command, one problem is solved.\n";
  for (const CommandEntry& command : program.commands) {
    page += fmt::format(".TP\n.B {}\n{}\n", command.name, escaped(command.description));
  }
  page += ".SH OPTIONS\nThese are for solving one problem.\n" + grouped_options(program);
  page += ".SH OPTIONS OF THE COMMANDS\n";
  for (const CommandEntry& command : program.commands) page += command_section(command);
  page += ".SH EXIT STATUS\n" + status_list(footer) + ".SH EXAMPLES\n" + examples(program);
  for (const CommandEntry& command : program.commands) page += examples(command);
  return page + kEnd;
}

}  // namespace poet::cli
