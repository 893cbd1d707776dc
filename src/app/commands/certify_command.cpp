// The command `certify`: a proof of a result that anybody can check. What it writes is not believed
// here either: poet-check shares no code with this program. A bound is proven anew and from nothing
// but nodes, order and limits: what a solver has found on the way is not in its file. That takes a
// search of its own, with a time limit that is apart from the limit of the solve. What is certified
// is the file's bound or less: a proof of less is written too, with another exit status.

#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "app/certificates.hpp"
#include "app/command.hpp"
#include "app/terminal/deliver.hpp"
#include "app/terminal/print_summary.hpp"
#include "app/terminal/signals.hpp"
#include "base/files/files.hpp"
#include "base/text/printable.hpp"
#include "formats/read_schedule.hpp"
#include "poet/error.hpp"
#include "runs/expected_graph.hpp"

namespace poet::cli {
namespace {

constexpr const char* kCertifyHelp =
    R"(FILE is a schedule file, or the document of a solve that ended with 'infeasible'. Its bound, or
the one of --bound, is proven anew, in a form that poet-check checks without any part of this
program: that no schedule of these nodes, in this order, within these limits, has less energy, or
that there is none. docs/certificate-format.md says what each line states, and why it holds.

A document without a schedule has no nodes, so it takes the --model and the --platform.

Exit status:
  0                               the certificate proves the result
  2                               bad usage, or a file that cannot be read; nothing was written
  4                               the result is not proven: the certificate proves a lower bound, or
                                  nothing was written
  5                               the schedule is not valid; nothing was written
  130                             interrupted; as 4

Examples:
  $ poet-solve certify schedule.json --output schedule.proof
  $ poet-check schedule.proof schedule.json
      Needs Python only. Ends with 0 if the certificate is right.
  $ poet-solve certify infeasible.json --model bert --platform m4 --output none.proof)";

// Ten minutes: most bounds that a short solve leaves take seconds, and hard ones are worth a wait.
struct CertifyArguments {
  std::string file;
  std::string model;
  std::string platform;
  double bound = 0;
  double time_limit_seconds = 600;
  Destination to;
};

/// What is to be proven.
/// Both kinds of documents come to the same question, so that what follows does not ask where it is
/// from.
struct Result {
  Problem problem;
  NodeOrder order;
  std::optional<Joules> claim;   ///< absent: infeasibility
  std::optional<Joules> energy;  ///< of the schedule
};

/// The bound of the file, or the one of --bound.
Joules claim_for(const ScheduleFile& file, double bound) {
  const Summary& summary = file.summary;
  if (bound <= 0) {
    return certifiable_claim(file.graph, summary.energy_joules, summary.lower_bound_joules);
  }
  if (bound <= summary.energy_joules) return bound;
  throw InputError("--bound",
                   fmt::format("found {} J; expected at most the energy of the schedule, {} J, "
                               "which no bound exceeds",
                               bound, summary.energy_joules));
}

/// The problem of a document without a schedule, whose nodes the model has.
/// Such a document names its graph by a digest, and the model's graph has to have it.
Result infeasible_result(const SolveDocument& document, const CertifyArguments& arguments) {
  if (document.status != Status::infeasible || !document.problem || !document.problem->model ||
      !document.problem->request) {
    throw InputError(shown_source(arguments.file),
                     "found a document that proves nothing; expected a schedule file, or a "
                     "document with the status infeasible");
  }
  if (arguments.model.empty()) {
    throw InputError(shown_source(arguments.file),
                     "found a document without a schedule, which has no nodes; expected --model, "
                     "and --platform unless the model brings its costs");
  }
  const ProblemInfo& about = *document.problem;
  ExpectedGraph expected(arguments.model, arguments.platform);
  return {.problem = {.graph = expected.graph_of(about), .limits = about.request->limits},
          .order = about.model->order};
}

// The nodes are the file's own, in its order; a certificate is about these and about no model.
Result result_of(const SolveDocument& document, const CertifyArguments& arguments) {
  if (!document.file) return infeasible_result(document, arguments);
  const ScheduleFile& file = *document.file;
  return {.problem = {.graph = file.graph, .limits = file.request.limits},
          .order = file.model.order,
          .claim = claim_for(file, arguments.bound),
          .energy = file.summary.energy_joules};
}

// The schedule is verified first: a bound says how good a schedule is, and one that breaks a rule
// has no energy to compare with.
ExitCode certify_file(const CertifyArguments& arguments, bool quiet) {
  const std::string name = shown_source(arguments.file);
  const SolveDocument document = parse_solve_document(read_file(arguments.file), arguments.file);
  if (document.file && !print_findings(verify_schedule_file(*document.file), name)) {
    return ExitCode::requirement;
  }
  const Result result = result_of(document, arguments);
  const CertifyOptions options{.order = result.order,
                               .time_limit_seconds = arguments.time_limit_seconds};
  const Certificate certificate = search_certificate(result.problem, result.claim, options, quiet);
  report_certificate(certificate, result.claim, result.energy, name);
  const ExitCode failed = interrupted() ? ExitCode::interrupted : ExitCode::limit;
  if (certificate.status == Certificate::Status::none) return failed;
  return deliver(certificate.text, arguments.to.output,
                 certificate.status == Certificate::Status::proven ? ExitCode::ok : failed);
}

// The platform is an option of its own as everywhere, though only a document without a schedule
// needs it.
Run add_certify(CLI::App& app) {
  const auto arguments = std::make_shared<CertifyArguments>();
  OptionGroup group(app);
  group.argument("FILE", arguments->file,
                 "a schedule file, or an infeasible document; - for stdin");
  group.text("--model", arguments->model, "NAME|FILE",
             "the model of FILE, if FILE has no schedule");
  group.text("--platform", arguments->platform, "NAME|FILE", "its platform, likewise");
  group.number<double>("--bound", arguments->bound, "J", {.expected = "joules of at least 0"},
                       "prove this bound in place of the file's; 0: the file's");
  group.number<double>("--time-limit-s", arguments->time_limit_seconds, "S",
                       {.expected = "seconds of at least 0"},
                       "wall clock of the search for a proof, in seconds; 0 = none");
  group.text("--output", arguments->to.output, "FILE",
             "write the certificate there, whole or not at all");
  return [arguments](Session& session) { return certify_file(*arguments, session.quiet); };
}

}  // namespace

extern const Command kCertify{
    .name = "certify",
    .summary = "prove a bound, or that there is no schedule, so that anybody can check it",
    .footer = kCertifyHelp,
    .add = add_certify};

}  // namespace poet::cli
