// The command `certify`: a proof of a schedule's bound that anybody can check. What it writes is
// not believed here either: poet-check shares no code with this program.

#include <spdlog/spdlog.h>

#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "app/command.hpp"
#include "app/terminal/deliver.hpp"
#include "app/terminal/progress_line.hpp"
#include "app/terminal/signals.hpp"
#include "base/files/files.hpp"
#include "base/text/figures.hpp"
#include "base/text/printable.hpp"
#include "poet/certify.hpp"
#include "poet/error.hpp"
#include "report/file_order.hpp"

namespace poet::cli {
namespace {

constexpr const char* kCertifyHelp =
    R"(FILE is a schedule file. Its bound, or the energy of --bound, is proven anew, in a form that
poet-check checks without any part of this program: that no schedule of these nodes, in this
order, within the limits of the request, has less energy. docs/certificate-format.md says what
each line states.

Exit status:
  0                               the certificate proves the bound
  2                               bad usage, or a file that cannot be read; nothing was written
  4                               the bound is not proven: the certificate proves less, or nothing
                                  was written
  130                             interrupted; likewise

Examples:
  $ poet-solve certify schedule.json --output schedule.proof
  $ poet-check schedule.proof schedule.json
      Needs Python only. Exits with 0 if the certificate is right.)";

struct CertifyArguments {
  std::string file;
  double bound = 0;
  double time_limit_seconds = 600;
  Destination to;
};

/// What the certificate is to prove: the bound of the file, or the one of --bound.
Joules claim_for(const CertifyArguments& arguments, const ScheduleFile& file) {
  const Summary& summary = file.summary;
  if (arguments.bound <= 0) {
    return certifiable_claim(file.graph, summary.energy_joules, summary.lower_bound_joules);
  }
  if (arguments.bound <= summary.energy_joules) return arguments.bound;
  throw InputError("--bound",
                   fmt::format("found {} J; expected at most the energy of the schedule, {} J, "
                               "which no bound exceeds",
                               arguments.bound, summary.energy_joules));
}

/// Throws InputError unless the file has what a proof is about.
void check_certifiable(const ScheduleFile& file, const std::string& name) {
  const std::vector<std::string> findings = verify_schedule_file(file);
  if (!findings.empty()) throw InputError(name, findings.front());
}

Certificate search(const Problem& problem, Joules claim, const NodeOrder& order,
                   const CertifyArguments& arguments, bool quiet) {
  catch_interrupts();
  StatusLine line(quiet);
  CertifyOptions options{.order = order, .time_limit_seconds = arguments.time_limit_seconds};
  options.progress = [&line](const CertifyProgress& now) {
    if (line.on_terminal()) {
      line.draw(fmt::format("[{:.1f} s] certificate with {}", now.elapsed_seconds,
                            counted(now.moments, "moment")));
    }
    return !interrupted();
  };
  return certify(problem, claim, options);
}

void report(const Certificate& certificate, Joules claim, Joules energy, const std::string& name) {
  const std::string size = fmt::format("{}, a tree with {}, {}", counted(certificate.rows, "row"),
                                       counted(certificate.leaves, "end"),
                                       format_bytes(static_cast<Bytes>(certificate.text.size())));
  switch (certificate.status) {
    case Certificate::Status::proven:
      spdlog::info("{}: certified that no schedule has less than {}; the schedule is {}; {}", name,
                   format_joules(claim), gap_text(relative_gap(energy, claim)), size);
      return;
    case Certificate::Status::weaker:
      spdlog::warn("{}: certified {} instead of {}, as {}; {}", name,
                   format_joules(certificate.claim_joules), format_joules(claim),
                   certificate.reason, size);
      return;
    case Certificate::Status::none:
      break;
  }
  spdlog::error("{}: not certified, as {}; nothing was written", name, certificate.reason);
}

ExitCode certify_file(const CertifyArguments& arguments, bool quiet) {
  check_destination("--output", arguments.to.output);
  const std::string text = read_file(arguments.file);
  const std::string name = shown_source(arguments.file);
  const ScheduleFile file = parse_schedule_file(text, arguments.file);
  check_certifiable(file, name);
  const Problem problem{.graph = file.graph, .limits = file.request.limits};
  const Joules claim = claim_for(arguments, file);
  const Certificate certificate = search(problem, claim, file.model.order, arguments, quiet);
  report(certificate, claim, file.summary.energy_joules, name);
  const ExitCode failed = interrupted() ? ExitCode::interrupted : ExitCode::limit;
  if (certificate.status == Certificate::Status::none) return failed;
  return deliver(certificate.text, arguments.to.output,
                 certificate.status == Certificate::Status::proven ? ExitCode::ok : failed);
}

Run add_certify(CLI::App& app) {
  const auto arguments = std::make_shared<CertifyArguments>();
  OptionGroup group(app);
  group.argument("FILE", arguments->file, "a schedule file, or - for stdin");
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

extern const Command kCertify{.name = "certify",
                              .summary = "prove the bound of a schedule so that anybody can check",
                              .footer = kCertifyHelp,
                              .add = add_certify};

}  // namespace poet::cli
