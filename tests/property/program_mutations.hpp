#pragma once

#include <span>
#include <string_view>

#include "poet/schedule_file.hpp"
#include "support/random_schedules.hpp"

namespace poet::test {

/// One way to change the program of a schedule file, with or without offsets. Unlike those of
/// mutations.hpp, these know nothing of rules, so a program may mean the same afterwards.
struct ProgramMutation {
  std::string_view name;
  /// Returns false where the program offers no occasion. The file stays as it is then.
  bool (*apply)(Random&, ScheduleFile&);
};

std::span<const ProgramMutation> program_mutations();

}  // namespace poet::test
