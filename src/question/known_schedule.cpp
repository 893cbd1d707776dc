// Schedules of one problem in several orders and with several sets of copies. A schedule may be
// handed on from any to another, as it is replayed. A bound may not: it is about one graph.

#include "question/known_schedule.hpp"

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

NodeOrder order_of(const Subject& subject) {
  return subject.chosen ? subject.chosen->order : NodeOrder();
}

}  // namespace

// Graphs are compared without times of transfers, as two platforms may differ in these alone.
OrderedSchedule known_schedule(const Subject& subject, const ScheduleFile& file) {
  const Subject given = in_given_order(with_copies(subject, file.model.copies));
  if (graph_sha256(given_graph(file)) != graph_sha256(given.graph)) {
    throw InputError(
        "found a schedule of another graph; expected one of the same model, platform and batch "
        "size");
  }
  const NodeOrder& order = file.model.order;
  if (!order.empty()) check_order(given.graph, precedence(given), order);
  return {.schedule = file.schedule, .order = order, .copies = given.model.copies};
}

Replay replay_known(const Subject& subject, const OrderedSchedule& known, const Limits& limits) {
  const bool is_own = known.copies == subject.model.copies && known.order == order_of(subject);
  if (is_own) return simulate(subject.graph, known.schedule, limits);
  const Graph given = in_given_order(with_copies(subject, known.copies)).graph;
  return simulate(known.order.empty() ? given : permuted(given, known.order), known.schedule,
                  limits);
}

void expect_order_of(const Subject& subject, const OrderedSchedule& known) {
  if (known.copies != subject.model.copies) {
    throw InputError(
        "found a schedule with other copies for gradients; expected one with the same: --copies "
        "with this file solves with its copies");
  }
  const NodeOrder own = order_of(subject);
  if (known.order == own) return;
  const auto node_at = [](const NodeOrder& order, int place) {
    return order.empty() ? place : order[place];
  };
  int place = 0;
  while (node_at(known.order, place) == node_at(own, place)) ++place;
  const Graph given = in_given_order(subject).graph;
  const auto shown = [&](const NodeOrder& order) {
    const int node = node_at(order, place);
    return fmt::format("{} order, with node {} ('{}') at place {}",
                       order.empty() ? "the given" : "a chosen", node,
                       printable(given.nodes[node].name), place);
  };
  throw InputError(
      fmt::format("found a schedule in {}; expected {}: --order with this file solves in its order",
                  shown(known.order), shown(own)));
}

}  // namespace poet
