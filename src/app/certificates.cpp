// What `certify` and `solve --certify` share. Without a certificate the schedule of a solve is
// written all the same, since hours were spent on it: it states that nothing was certified. Its
// time limit is the solve's, once more; the search for a proof can be stopped by itself and leaves
// what it has.

#include "app/certificates.hpp"

#include <spdlog/spdlog.h>

#include <fmt/format.h>

#include "app/terminal/progress_line.hpp"
#include "app/terminal/signals.hpp"
#include "base/files/files.hpp"
#include "base/text/figures.hpp"
#include "base/text/printable.hpp"
#include "poet/error.hpp"

namespace poet::cli {
namespace {

std::string words_for(std::optional<Joules> claim) {
  return claim ? fmt::format("no schedule has less than {} J", *claim)
               : std::string("there is no schedule");
}

/// The certificate to its file. True if that worked.
bool write_certificate(const Certificate& certificate, const std::string& path) {
  if (certificate.status == Certificate::Status::none) return false;
  try {
    write_file(path, certificate.text);
    return true;
  } catch (const InputError& error) {
    spdlog::error("--certify: {}", error.what());
    return false;
  }
}

CertifyOptions options_of(const Request& request, const NodeOrder& order) {
  return {.order = order,
          .time_limit_seconds = request.settings.time_limit_seconds,
          .memory_limit_bytes = request.settings.memory_limit_bytes};
}

}  // namespace

Certificate search_certificate(const Problem& problem, std::optional<Joules> claim,
                               CertifyOptions options, bool quiet) {
  catch_interrupts();
  StatusLine line(quiet);
  options.progress = [&line](const CertifyProgress& now) {
    if (line.on_terminal()) {
      line.draw(fmt::format("[{:.1f} s] certificate: a model with {}", now.elapsed_seconds,
                            counted(now.moments, "moment")));
    }
    return !interrupted();
  };
  return certify(problem, claim, options);
}

void report_certificate(const Certificate& certificate, std::optional<Joules> claim,
                        std::optional<Joules> energy, const std::string& name) {
  const std::string size = fmt::format("{}, {}", counted(certificate.rows, "row"),
                                       format_bytes(static_cast<Bytes>(certificate.text.size())));
  switch (certificate.status) {
    case Certificate::Status::proven:
      spdlog::info("{}: certified: {}{}; {}", name, words_for(claim),
                   energy && claim ? fmt::format("; the schedule is {}",
                                                 gap_text(relative_gap(*energy, *claim)))
                                   : std::string(),
                   size);
      return;
    case Certificate::Status::weaker:
      spdlog::warn("{}: certified: {}; not {} J, as {}; {}", name,
                   words_for(certificate.claim_joules), claim.value_or(0), certificate.reason,
                   size);
      return;
    case Certificate::Status::none:
      break;
  }
  spdlog::warn("{}: no certificate: {}", name, certificate.reason);
}

// The file states what the certificate claims and not what was hoped for, so it is changed after
// the certificate is on disk.
ExitCode certify_result(ScheduleFile& file, const std::string& path, bool quiet) {
  const Problem problem{.graph = file.graph, .limits = file.request.limits};
  const Joules energy = file.summary.energy_joules;
  const Joules claim = certifiable_claim(file.graph, energy, file.summary.lower_bound_joules);
  const Certificate certificate =
      search_certificate(problem, claim, options_of(file.request, file.model.order), quiet);
  report_certificate(certificate, claim, energy, shown_source(path));
  file.certificate.certified = false;
  if (!write_certificate(certificate, path)) {
    return certificate.status == Certificate::Status::none ? ExitCode::requirement
                                                           : ExitCode::usage;
  }
  file.certificate.certified = certificate.status == Certificate::Status::proven;
  file.certificate.certified_bound_joules = certificate.claim_joules;
  return ExitCode::ok;
}

void certify_infeasible(const Graph& graph, const Request& request, const NodeOrder& order,
                        const std::string& path, bool quiet) {
  const Certificate certificate = search_certificate(
      {.graph = graph, .limits = request.limits}, std::nullopt, options_of(request, order), quiet);
  report_certificate(certificate, std::nullopt, std::nullopt, shown_source(path));
  const bool searches_copies = request.settings.copies != CopyChoice::none;
  if (request.settings.order == OrderKind::search || searches_copies) {
    spdlog::warn(
        "{}: it is about {}, and the document about all {}, which one certificate cannot prove: "
        "poet-check takes it without the document",
        shown_source(path), searches_copies ? "the graph without copies" : "the order of the model",
        searches_copies ? "sets of copies" : "orders");
  }
  write_certificate(certificate, path);
}

}  // namespace poet::cli
