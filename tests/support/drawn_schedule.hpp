#pragma once

#include <utility>

#include "support/admitted.hpp"
#include "support/graph_attributes.hpp"
#include "support/random_schedules.hpp"

namespace poet::test {

/// A random schedule of a random graph; with `attributes`, of one that is not POET's.
inline Drawn draw_schedule(Twister& random, bool attributes) {
  Graph graph = random_graph(random);
  if (attributes) {
    graph = with_attributes(std::move(graph), [&](int n) { return draw(random, 0, n - 1); });
  }
  const Habits habits{
      .drop = draw(random, 0, 70), .page_out = draw(random, 0, 80), .page_in = draw(random, 0, 80)};
  const Schedule schedule = random_schedule(random, graph, habits);
  const auto paging_time = attributes ? static_cast<PagingTime>(draw(random, 0, 2)) : PagingTime{};
  return Drawn(graph, schedule, paging_time);
}

}  // namespace poet::test
