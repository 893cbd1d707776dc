// The commands that work on files with results: plot, verify, simulate, compare.
#include "app/options/command_syntax.hpp"

namespace poet::cli {
namespace {

constexpr const char* kPlotFooter =
    "A schedule file becomes RAM over time and every tensor's life. The JSON lines of a sweep\n"
    "become energy overhead over RAM budget, or over runtime budget if that alone varies: a panel\n"
    "for each model on each platform, a colour for each set of techniques, a dash for each "
    "runtime\n"
    "budget. The content of a file decides which of the two it is.\n"
    "\n"
    "Exit status:\n"
    "  0                               drawn\n"
    "  2                               bad usage or input; nothing was written\n"
    "\n"
    "Examples:\n"
    "  $ poet-solve plot schedule.json --output schedule.svg\n"
    "  $ poet-solve plot schedule.json --width 174mm --no-title --lanes changed --format pdf \\\n"
    "      --output figure.pdf\n"
    "      A figure for a paper, as wide as its page, for a caption of its own.\n"
    "  $ poet-solve plot curve.jsonl --output curve.svg\n"
    "  $ cat m4.jsonl a72.jsonl | poet-solve plot - > both.svg\n"
    "      The results of two sweeps in one picture.";

constexpr const char* kVerifyFooter =
    "Every FILE is a schedule file, or the JSON lines of a sweep, whose schedule files are "
    "replayed\n"
    "and compared with their rows, and the rows with each other. stderr has a line for each "
    "schedule,\n"
    "and for each finding.\n"
    "\n"
    "Exit status:\n"
    "  0                               every schedule is valid, and so are the rows\n"
    "  2                               bad usage, or a file that cannot be read, even if more is "
    "found\n"
    "  5                               a schedule is not valid (older versions ended with 2), or "
    "rows\n"
    "                                  contradict each other\n"
    "\n"
    "Examples:\n"
    "  $ poet-solve verify runs/*.json\n"
    "  $ poet-solve verify curve.jsonl --model net.json --platform m4\n"
    "      Also checks that the schedules of a sweep are about the model as it is now.";

constexpr const char* kSimulateFooter =
    "FILE is a schedule file of which little has to be there: \"format\", \"version\", \"nodes\" "
    "and\n"
    "\"stages\". Stages may name nodes by name, and leave out empty lists. Without a budget, the\n"
    "schedule's own peak RAM and runtime are its budgets. The file that is written is complete,\n"
    "with the status 'feasible', as if a solve had found the schedule.\n"
    "\n"
    "Exit status:\n"
    "  0                               the schedule is valid; its file was written\n"
    "  2                               bad usage, or a file that cannot be read; nothing was "
    "written\n"
    "  5                               the schedule breaks a rule; nothing was written\n"
    "\n"
    "Examples:\n"
    "  $ poet-solve simulate stages.json --output schedule.json\n"
    "  $ poet-solve simulate stages.json --model linear --platform m4 --ram-budget 3500 > s.json\n"
    "      Stages for a model, which supplies the nodes, within 3500 bytes.";

constexpr const char* kCompareFooter =
    "Both are schedule files, or both are results of sweep as JSON lines. stderr has a line for\n"
    "each point with more energy, without its schedule or proof, with a schedule that does not\n"
    "replay, or with another problem, and for each improvement. A model whose graph has changed "
    "is\n"
    "listed with energy, peak RAM and proof before and after.\n"
    "\n"
    "Exit status:\n"
    "  0                               nothing is worse\n"
    "  2                               bad usage or input\n"
    "  5                               something is worse\n"
    "\n"
    "Examples:\n"
    "  $ poet-solve compare baseline.jsonl new.jsonl\n"
    "  $ poet-solve compare main.json branch.json --rel-tol 0.001 --markdown >> \"$SUMMARY\"";

void add_plot_options(CLI::App& app, Options& options) {
  OptionGroup group(app);
  group.argument("FILE", options.input_file,
                 "a schedule file, the JSON lines of a sweep, or - for stdin");
  group.text("--output", options.output, "FILE", "write the picture there, whole or not at all");
  PlotArguments& plot = options.plot;
  group.text("--width", plot.width, "MM",
             "lay the picture out for this width on paper, as in 84mm or 174mm, with no text below "
             "6 pt; without, for screens");
  group.flag("--no-title", plot.no_title,
             "leave out what a caption says: the title, and the figures under it");
  group.choice("--format", plot.format, {"svg", "pdf"},
               "what to write; pdf needs rsvg-convert (Debian: librsvg2-bin)");
  group.choice("--lanes", plot.lanes, {"all", "forward", "changed", "none"},
               "the tensors of a schedule that have a lane: all, which is usual, the tensors "
               "of the forward pass, all that are recomputed or paged, or none");
  group.choice("--x-axis", plot.x_axis, {"computation", "time", "energy"},
               "what a schedule is drawn over: its computations, each as wide as any other, which "
               "is usual; or the time of the step; or its energy");
  group.choice(
      "--theme", plot.theme, {"auto", "light", "dark"},
      "the colours: auto is what the reader's screen prefers; without, auto, or light with "
      "--width");
}

void add_verify_options(CLI::App& app, Options& options) {
  OptionGroup group(app);
  group.arguments("FILE", options.input_files,
                  "schedule files, the JSON lines of sweeps, or - for stdin");
  group.text("--model", options.model, "NAME|FILE",
             "check that the schedules are about this model; each file states its batch size");
  group.text("--platform", options.platform, "NAME|FILE", "and about this platform");
}

void add_simulate_options(CLI::App& app, Options& options) {
  OptionGroup group(app);
  group.argument("FILE", options.input_file, "a schedule file, complete or not, or - for stdin");
  group.text("--model", options.model, "NAME|FILE",
             "the model that the stages are for; not needed if FILE has nodes");
  group.text("--platform", options.platform, "NAME|FILE", "the platform of the model");
  add_model_options(app, options, "Options");
  group.text("--ram-budget", options.ram_budget, "SIZE",
             "check the schedule against this RAM budget: as for a solve, but min");
  group.text("--runtime-budget", options.runtime_budget, "T",
             "check it against this runtime budget, as for a solve");
  group.text("--output", options.output, "FILE", "write the JSON there, whole or not at all");
  group.flag("--compact", options.compact, "JSON on one line");
}

void add_compare_options(CLI::App& app, Options& options) {
  OptionGroup group(app);
  CompareArguments& compare = options.compare;
  group.argument("BASELINE", compare.baseline, "what NEW is compared with");
  group.argument("NEW", compare.fresh, "the new result, or - for stdin");
  group.number<double>("--rel-tol", compare.rel_tol, "REL", {},
                       "energies that differ by no more than this, relative to the baseline's, are "
                       "equal");
  group.choice(
      "--on-changed-graph", compare.on_changed_graph, {"report", "fail"},
      "where a model has another graph than in BASELINE: report both figures, worse only if "
      "a schedule is lost; or fail");
  CLI::Option* json = group.flag("--json", compare.json, "the findings as JSON on stdout");
  group.flag("--markdown", compare.markdown, "the findings as Markdown on stdout")->excludes(json);
}

}  // namespace

const CommandSyntax kPlotSyntax{
    .command = Command::plot,
    .name = "plot",
    .summary = "draw a schedule, or the curves of a sweep, as SVG or PDF on stdout",
    .footer = kPlotFooter,
    .add_options = add_plot_options,
    .error_document = false};

const CommandSyntax kVerifySyntax{.command = Command::verify,
                                  .name = "verify",
                                  .summary = "replay schedule files against the rules",
                                  .footer = kVerifyFooter,
                                  .add_options = add_verify_options,
                                  .error_document = true};

const CommandSyntax kSimulateSyntax{
    .command = Command::simulate,
    .name = "simulate",
    .summary = "replay stages written by hand, and write their schedule file",
    .footer = kSimulateFooter,
    .add_options = add_simulate_options,
    .error_document = false};

const CommandSyntax kCompareSyntax{
    .command = Command::compare,
    .name = "compare",
    .summary = "report what became worse or better between two results",
    .footer = kCompareFooter,
    .add_options = add_compare_options,
    .error_document = false};

}  // namespace poet::cli
