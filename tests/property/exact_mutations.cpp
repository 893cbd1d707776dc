#include "mutations.hpp"
#include "support/random_exact_schedules.hpp"

namespace poet::test {
namespace {

Replay replayed(const Spot& spot) {
  return simulate(spot.graph(), spot.file->schedule, spot.limits());
}

bool is_overlapped(const Spot& spot) {
  return spot.limits().paging_time == PagingTime::overlapped;
}

/// The input with bytes that a computation at the peak takes over.
std::optional<int> taken_over_at_peak(const Spot& spot) {
  if (!spot.costs().in_place) return {};
  const std::optional<Instruction> step = at_peak(spot);
  if (!step || !step->over || spot.graph().nodes[*step->over].bytes == 0) return {};
  return step->over;
}

/// In the worst stage; what has another size is not taken over, which would be another mistake.
bool arrives_at_peak_alone(const Spot& spot) {
  if (!is_overlapped(spot) || !in<&Stage::page_in>(spot)) return false;
  const std::vector<Node>& nodes = spot.graph().nodes;
  return is_worst_stage({spot.file, spot.t, spot.t}) &&
         std::none_of(nodes.begin(), nodes.end(),
                      [&](const Node& user) { return user.in_place == spot.node; });
}

/// Beside computations a transfer is not charged before it takes longer than they do.
void slow_a_transfer_down(Spot& spot, Twister&) {
  Node& node = spot.costs();
  (in<&Stage::page_out>(spot) ? node.page_out_seconds : node.page_in_seconds) += 1e6;
}

ScheduleFile random_exact_file(Twister& random) {
  const Case made = random_exact_case(random);
  return {.request = {.limits = made.limits}, .graph = made.graph, .schedule = made.schedule};
}

void forbid_to_page(Spot& spot, Twister&) {
  spot.costs().page = false;
}

}  // namespace

std::vector<Mutation> exact_mutations() {
  std::vector<Mutation> all{
      {"forbid_to_take_over", Rule::ram,
       [](const Spot& spot) { return taken_over_at_peak(spot).has_value(); },
       [](Spot& spot, Twister&) { spot.costs().in_place.reset(); }},
      {"keep_what_is_taken_over", Rule::ram,
       [](const Spot& spot) {
         return spot.t + 1 < spot.graph().size() && taken_over_at_peak(spot).has_value();
       },
       [](Spot& spot, Twister&) {
         insert_sorted(spot.stages()[spot.t + 1].resident, *taken_over_at_peak(spot));
       }},
      {"write_out_what_is_taken_over", Rule::ram,
       [](const Spot& spot) {
         const std::optional<int> over =
             is_overlapped(spot) ? taken_over_at_peak(spot) : std::nullopt;
         return over && has(spot.stage().resident, *over);
       },
       [](Spot& spot, Twister&) {
         insert_sorted(spot.stage().page_out, *taken_over_at_peak(spot));
       }},
      {"enlarge_the_workspace_at_the_peak", Rule::ram,
       [](const Spot& spot) { return at_peak(spot).has_value(); },
       [](Spot& spot, Twister& random) { spot.costs().workspace_bytes += draw(random, 1, 1000); }},
      {"take_one_byte_of_ram", Rule::ram,
       [](const Spot& spot) { return spot.limits().ram_budget_bytes > 0 && is_worst_stage(spot); },
       take_one_byte},
      {"enlarge_what_arrives_at_the_peak", Rule::ram, arrives_at_peak_alone,
       [](Spot& spot, Twister& random) {
         spot.costs().in_place.reset();
         spot.costs().bytes += draw(random, 1, 1000);
       }},
      {"recompute_what_is_computed_once", Rule::once, is_recomputed,
       [](Spot& spot, Twister&) { spot.costs().recompute = false; }},
      {"read_parameters_after_their_update", Rule::once,
       [](const Spot& spot) { return spot.node + 1 < spot.t && in<&Stage::compute>(spot); },
       [](Spot& spot, Twister& random) {
         const int writer = draw(random, spot.node + 1, spot.t - 1);
         spot.costs().reads_parameters.emplace_back("changed");
         spot.graph().nodes[writer].writes_parameters.emplace_back("changed");
       }},
      {"page_out_what_may_not_be_paged", Rule::once, in<&Stage::page_out>, forbid_to_page},
      {"page_in_what_may_not_be_paged", Rule::once, in<&Stage::page_in>, forbid_to_page},
      {"slow_a_transfer_down", Rule::runtime,
       [](const Spot& spot) {
         return spot.limits().paging_time != PagingTime::free && is_transferred(spot);
       },
       slow_a_transfer_down},
      {"take_some_of_the_time", Rule::runtime, anywhere, take_some_time},
      {"take_one_byte_of_storage", Rule::storage,
       [](const Spot& spot) { return is_transferred(spot) && replayed(spot).storage_bytes > 0; },
       [](Spot& spot, Twister&) {
         spot.limits().storage.storage_budget_bytes = replayed(spot).storage_bytes - 1;
       }},
      {"take_one_byte_of_what_may_be_written", Rule::storage,
       [](const Spot& spot) { return is_transferred(spot) && replayed(spot).written_bytes > 0; },
       [](Spot& spot, Twister&) {
         spot.limits().storage.page_out_budget_bytes = replayed(spot).written_bytes - 1;
       }},
      {"write_out_once_more", Rule::storage,
       [](const Spot& spot) {
         return in<&Stage::resident>(spot) && !in<&Stage::page_out>(spot) &&
                bytes_in_storage(spot.costs()) > 0;
       },
       [](Spot& spot, Twister&) {
         spot.limits().storage.page_out_budget_bytes = replayed(spot).written_bytes;
         insert_sorted(spot.stage().page_out, spot.node);
       }}};
  for (Mutation& each : all) each.draw_file = random_exact_file;
  return all;
}

}  // namespace poet::test
