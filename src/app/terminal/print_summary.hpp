#pragma once

#include <string>
#include <vector>

#include "poet/question.hpp"
#include "poet/schedule_file.hpp"

namespace poet::cli {

/// Says on stderr what a schedule costs: energy, RAM, runtime, recomputations and transfers. `work`
/// ends its last line. Then print_arena().
void print_summary(const ScheduleFile& file, const std::string& work);

/// Says on stderr by how much the offsets exceed the RAM budget, if they do, and what moves them.
void print_arena(const ScheduleFile& file);

/// Says on stderr how much is moved, if anything is. `heading` begins the line.
void print_moves(const ScheduleFile& file, const std::string& heading);

/// Says on stderr what is read and written in banks, and what that takes, if a schedule is in some.
void print_banks(const ScheduleFile& file, const std::string& heading);

/// Says on stderr that a schedule is valid, with its figures; `rest` ends the line.
void print_valid(const ScheduleFile& file, const std::string& name, const std::string& rest = {});

/// Reports what is wrong with a schedule, and with `what` what was not done then. True if nothing
/// is.
bool print_findings(const std::vector<std::string>& findings, const std::string& name,
                    const std::string& what = {});
bool is_sound(const ScheduleFile& file, const std::string& name, const std::string& what);

/// Warns if the budget and what is beside the tensors are more than the chip has.
void warn_about_chip(const Subject& subject, Bytes ram_for_tensors);

/// Warns if the graph is so large that the limits may end the search before it has a schedule.
void warn_about_size(const Subject& subject, const SolveSettings& settings);

/// `beside the tensors: parameters 966.3 KiB, reserve 16 KiB`; logs nothing if there is nothing.
void print_beside_tensors(const Subject& subject);

/// How the time of a solve was spent, with --verbose.
void print_work(const SolveStatistics& solver);

}  // namespace poet::cli
