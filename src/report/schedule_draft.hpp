#pragma once

#include "poet/schedule_file.hpp"

namespace poet {

/// A draft, which is a schedule file as people write one: with stages and without figures. A budget
/// that it does not have is larger than any that a file can state.
ScheduleFile make_draft(Graph graph = {}, Schedule schedule = {}, ModelInfo model = {},
                        PagingTime paging_time = PagingTime::free);

/// Makes the schedule file of a draft whose stages keep to the rules and to the budgets that it
/// has: feasible, with the baseline's energy as the lower bound, and with what the schedule takes
/// as the missing budgets. Throws InternalError if they do not.
ScheduleFile complete_draft(const ScheduleFile& draft);
/// Likewise without offsets, which can take a second to find.
ScheduleFile complete_unplaced_draft(const ScheduleFile& draft);

}  // namespace poet
