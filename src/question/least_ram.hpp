#pragma once

#include <vector>

#include "poet/question.hpp"

namespace poet {

/// Finds the smallest RAM budget with a schedule within `limits`, whose own RAM budget has no
/// meaning: the working set if a schedule reaches it, else by bisection with solves that end in a
/// schedule, whose peak becomes the new upper end, or in a proof of infeasibility. No budget below
/// `floor_bytes` has a schedule: the caller has proven that. `starts` are schedules that may fit.
/// The time limit of `options` counts over the whole search; what it leaves open is an interval.
MinRam least_ram(const Subject& subject, const Limits& limits, const SolveOptions& options,
                 Bytes floor_bytes = 0, const std::vector<const Schedule*>& starts = {});

/// least_ram() in the given order, which is what `min` means for a subject in any order. The node
/// and the order that are returned are by the subject's own list.
MinRam least_ram_in_given_order(const Subject& subject, const Limits& limits,
                                const SolveOptions& options, Bytes floor_bytes = 0);

/// least_ram() over the orders of a subject in the given order: the smallest RAM budget for which a
/// search finds an order with a schedule. What is proven is about every order: no computation gets
/// by with less than its inputs, its output and its workspace. No budget below `floor_bytes` has a
/// schedule in any order: the caller has proven that.
MinRam least_ram_of_orders(const Subject& given, const Limits& limits, const SolveOptions& options,
                           Bytes floor_bytes = 0, const std::vector<OrderedSchedule>& starts = {});

/// RAM is held in whole tensors and workspaces, so every peak is a multiple of what divides all
/// their sizes: in any order of the nodes.
Bytes ram_step(const Graph& graph);

/// The node at whose computation a schedule needs the most RAM.
int node_at_peak(const Graph& graph, const Schedule& schedule, PagingTime paging_time);

}  // namespace poet
