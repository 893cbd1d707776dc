#pragma once

#include "poet/order.hpp"
#include "poet/question.hpp"
#include "poet/schedule.hpp"
#include "poet/schedule_file.hpp"
#include "poet/simulate.hpp"

namespace poet {

/// The schedule of a file about the graph of a subject, in any order of either and with any copies;
/// an empty order is the given one. Its times of
/// transfers may be other ones, since it has to be replayed. Throws InputError for another graph,
/// and for an order that is not legal for the subject's model.
OrderedSchedule known_schedule(const Subject& subject, const ScheduleFile& file);

/// Replays a schedule in its own order.
Replay replay_known(const Subject& subject, const OrderedSchedule& known, const Limits& limits);

/// Throws InputError unless a schedule is in the order of the subject and for its copies, so that
/// it can be a start.
void expect_order_of(const Subject& subject, const OrderedSchedule& known);

}  // namespace poet
