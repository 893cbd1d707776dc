// Schedules of one problem in several orders. A schedule may be handed on from any order to
// another, as it is replayed. A bound may not: it is about one order.

#include "question/known_schedule.hpp"

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

/// A graph in the given order of its model.
Graph given_graph_of(const Subject& subject) {
  return subject.chosen ? permuted(subject.graph, inverse(subject.chosen->order)) : subject.graph;
}

Precedence given_precedence(const Subject& subject) {
  return precedence(subject.chosen ? permuted(subject.model, inverse(subject.chosen->order))
                                   : subject.model);
}

NodeOrder order_of(const Subject& subject) {
  return subject.chosen ? subject.chosen->order : NodeOrder();
}

}  // namespace

KnownSchedule known_schedule(const Subject& subject, const ScheduleFile& file) {
  const Graph given = given_graph_of(subject);
  if (graph_sha256(given_graph(file)) != graph_sha256(given)) {
    throw InputError(
        "found a schedule of another graph; expected one of the same model, platform and batch "
        "size");
  }
  const NodeOrder& order = file.model.order;
  if (!order.empty()) check_order(given, given_precedence(subject), order);
  return {.order = order, .schedule = file.schedule};
}

Replay replay_known(const Subject& subject, const KnownSchedule& known, const Limits& limits) {
  if (known.order == order_of(subject)) return simulate(subject.graph, known.schedule, limits);
  const Graph given = given_graph_of(subject);
  return simulate(known.order.empty() ? given : permuted(given, known.order), known.schedule,
                  limits);
}

void expect_order_of(const Subject& subject, const KnownSchedule& known) {
  const NodeOrder own = order_of(subject);
  if (known.order == own) return;
  const auto node_at = [](const NodeOrder& order, int place) {
    return order.empty() ? place : order[place];
  };
  int place = 0;
  while (node_at(known.order, place) == node_at(own, place)) ++place;
  const Graph given = given_graph_of(subject);
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
