#pragma once

#include <optional>
#include <string>

#include "poet/certify.hpp"
#include "poet/schedule_file.hpp"

namespace poet::cli {

/// A search for a certificate, with a line of progress; an interrupt ends it. Without a claim, it
/// proves infeasibility.
Certificate search_certificate(const Problem& problem, std::optional<Joules> claim,
                               CertifyOptions options, bool quiet);

/// Says on stderr what was certified, or why nothing was. `energy`: of the schedule, if there is
/// one.
void report_certificate(const Certificate& certificate, std::optional<Joules> claim,
                        std::optional<Joules> energy, const std::string& name);

/// The same for the result of a solve: its certificate goes to `path`, and what it proves into the
/// summary. A failure is reported, and costs the certificate only: the status is ok if there is
/// one, `requirement` if none was found and `usage` if it could not be written. It has the limits
/// of the solve once more.
ExitCode certify_result(ScheduleFile& file, const std::string& path, bool quiet);
void certify_infeasible(const Graph& graph, const Request& request, const NodeOrder& order,
                        const std::string& path, bool quiet);

}  // namespace poet::cli
