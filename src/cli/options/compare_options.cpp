#include "cli/options/groups.hpp"
#include "cli/options/values.hpp"

namespace poet::cli {
namespace {

constexpr const char* kDescription =
    "say what became worse or better between two results; exit 5 if anything became worse";

constexpr const char* kFooter =
    "Both are schedule files, or both are results of sweep as JSON lines. There is a line on "
    "stderr\n"
    "for each point with more energy, without its schedule or proof, with a schedule that does "
    "not\n"
    "replay, or with another problem; improvements are told too.\n"
    "\n"
    "Examples:\n"
    "  poet-solve compare baseline.jsonl new.jsonl\n"
    "  poet-solve compare main.json branch.json --rel-tol 0.001 --markdown >> \"$SUMMARY\"\n"
    "\n"
    "Exit status: 0 nothing is worse; 2 bad usage or input; 5 something is.";

}  // namespace

CLI::App* add_compare(CLI::App& app, Options& options) {
  CLI::App* compare = app.add_subcommand("compare", kDescription);
  compare->footer(kFooter);
  CompareArguments& arguments = options.compare;
  compare->add_option("BASELINE", arguments.baseline, "what NEW is compared with")
      ->required()
      ->type_name("FILE");
  compare->add_option("NEW", arguments.fresh, "the new result, or - for stdin")
      ->required()
      ->type_name("FILE");
  compare
      ->add_option("--rel-tol", arguments.rel_tol,
                   "energies that differ by no more than this, relative to the baseline's, are "
                   "equal")
      ->check(real_text())
      ->type_name("REL")
      ->capture_default_str();
  CLI::Option* json = compare->add_flag("--json", arguments.json, "the findings as JSON on stdout");
  compare
      ->add_flag("--markdown", arguments.markdown,
                 "the findings as Markdown on stdout, for a pull request")
      ->excludes(json);
  add_manners(*compare, options);
  return compare;
}

}  // namespace poet::cli
