#pragma once

#include <optional>
#include <string>

#include "poet/certify.hpp"
#include "poet/schedule_file.hpp"

namespace poet::cli {

/// A search for a certificate, with a line of progress; an interrupt ends it. Without a claim: that
/// there is no schedule.
Certificate search_certificate(const Problem& problem, std::optional<Joules> claim,
                               const NodeOrder& order, Seconds time_limit, bool quiet);

/// Says on stderr what was certified, or why nothing was. `energy`: of the schedule, if there is
/// one.
void report_certificate(const Certificate& certificate, std::optional<Joules> claim,
                        std::optional<Joules> energy, const std::string& name);

/// The same for the result of a solve: its certificate goes to `path`, and what it proves into the
/// summary. Whatever fails is said, and costs the certificate only.
void certify_result(ScheduleFile& file, const std::string& path, Seconds time_limit, bool quiet);
void certify_infeasible(const Problem& problem, const NodeOrder& order, const std::string& path,
                        Seconds time_limit, bool quiet);

}  // namespace poet::cli
