// Results of single solves as a sweep: a farm of machines solves each point by itself, and this
// joins what they left. Anybody may have written such a file, perhaps for other budgets or with a
// model that has changed since, so each one has to say what it is about, and its schedule is
// replayed. What is wrong with one file fails its point and leaves the others alone. A document
// without a schedule counts only if it names its problem, since a proof of infeasibility cannot be
// replayed.

#include "runs/collect.hpp"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "base/files/files.hpp"
#include "formats/read_schedule.hpp"
#include "poet/error.hpp"
#include "poet/graph.hpp"
#include "problem/fields.hpp"
#include "question/choose_copies.hpp"
#include "question/choose_order.hpp"
#include "report/compare_fields.hpp"
#include "report/fields.hpp"
#include "report/file_order.hpp"
#include "runs/sweep_files.hpp"
#include "sweep/ordered_subject.hpp"

namespace poet {
namespace {

/// What a point's file has to be about.
struct Expected {
  const Subject& subject;
  Limits limits;
  std::string graph_sha256;
  OrderKind kind = OrderKind::given;
  CopyChoice copies = CopyChoice::none;

  /// The order of the subject's nodes; empty for the given one.
  NodeOrder own_order() const { return subject.chosen ? subject.chosen->order : NodeOrder(); }
};

/// The first thing in which a file is about another problem than its point; empty if it is not.
std::string difference(const Request& request, const std::string& graph, const Expected& expected) {
  if (const auto found = first_difference(request.limits, expected.limits, kFields<Limits>)) {
    return fmt::format("request.{} is {}, expected {}", found->key, found->first, found->second);
  }
  if (graph == expected.graph_sha256) return {};
  return fmt::format("the digest of its graph is {}, expected {}", graph, expected.graph_sha256);
}

SweepOutcome failed(const std::string& path, const std::string& reason) {
  return {.failure = fmt::format("{}: {}", path, reason)};
}

SweepOutcome about_another(const std::string& path, const std::string& difference) {
  return failed(path, "it is about another problem: " + difference);
}

/// Why the copies of a file, or the order of its nodes, have no place among the results of this
/// sweep; empty if they have.
std::string order_difference(const ScheduleFile& file, const Expected& expected) {
  const bool chooses = expected.copies != CopyChoice::none;
  const Copies& copies = file.model.copies;
  const bool is_of_mode =
      chooses && (copies.tensors.empty() || copies.mode == copy_mode(expected.copies));
  if (!is_of_mode && copies.tensors != expected.subject.model.copies.tensors) {
    return "its gradients read other copies than --copies has them read";
  }
  const bool searches = expected.kind == OrderKind::search;
  if (!searches && !chooses) {
    if (file.model.order == expected.own_order()) return {};
    return fmt::format(
        "its nodes are in another order than --order {} has them; --order search takes schedules "
        "in "
        "any order, --order FILE those in one",
        name_of(expected.kind));
  }
  const OrderedSubject in_order(expected.subject, searches ? file.model.order : NodeOrder(),
                                chooses ? copies : Copies());
  const PagingTime paging_time = expected.limits.paging_time;
  if (graph_sha256(file.graph, paging_time) == graph_sha256(in_order.get().graph, paging_time)) {
    return {};
  }
  return "its graph is not the model's in this order of the nodes, with these copies";
}

SweepOutcome schedule_of(const ScheduleFile& file, const std::string& path,
                         const Expected& expected) {
  const std::string other = difference(file.request, problem_sha256(file), expected);
  if (!other.empty()) return about_another(path, other);
  const std::string order = order_difference(file, expected);
  if (!order.empty()) return failed(path, order);
  const std::vector<std::string> findings = verify_schedule_file(file);
  if (!findings.empty()) return {.failure = "its file is not valid: " + findings.front()};
  return {.result = {.status = file.status,
                     .schedule = file.schedule,
                     .energy_joules = file.summary.energy_joules,
                     .lower_bound_joules = file.summary.lower_bound_joules,
                     .statistics = file.solver},
          .order = expected.subject.chosen ? NodeOrder() : file.model.order,
          .copies = expected.copies != CopyChoice::none ? file.model.copies : Copies(),
          .uncopied_energy_joules = file.copied.uncopied_energy_joules,
          .given_order_energy_joules = file.bought.given_order_energy_joules,
          .wall_seconds = file.solver.wall_seconds};
}

/// Whether a document without a schedule is an answer, and not the end of a run that failed.
bool is_answer(const SolveDocument& document) {
  return (document.status == Status::infeasible || document.status == Status::unknown) &&
         (document.code == ExitCode::infeasible || document.code == ExitCode::limit);
}

/// That an order has no schedule, as a sweep over all orders takes it.
SweepOutcome infeasible_in_one_order(const SolveDocument& document, const Expected& expected) {
  if (auto refused = infeasible_in_any_order(expected.subject, expected.limits)) {
    return {.result = std::move(*refused)};
  }
  SweepOutcome outcome{
      .result = unknown_in_other_orders(expected.subject,
                                        {.status = Status::infeasible, .reason = document.error})};
  outcome.given_order = Status::infeasible;
  return outcome;
}

/// That some copies have no schedule, as a sweep over sets of them takes it.
SweepOutcome infeasible_with_some_copies(const SolveDocument& document, const Expected& expected) {
  auto refused = infeasible_with_any_copies(expected.subject, expected.limits, expected.copies);
  return {.result = refused ? std::move(*refused)
                            : unknown_with_other_copies(
                                  {.status = Status::infeasible, .reason = document.error})};
}

SweepOutcome answer_of(const SolveDocument& document, const std::string& path,
                       const Expected& expected) {
  if (!is_answer(document)) return {.failure = document.error};
  const bool infeasible = document.status == Status::infeasible;
  // An old document that found nothing claims nothing; one that proves needs to say about what.
  if (infeasible && !document.problem) {
    return failed(path,
                  "it says infeasible and not about which problem, as older versions wrote it; "
                  "solve this point again");
  }
  if (document.problem) {
    const ProblemInfo& problem = *document.problem;
    if (!problem.request || !problem.graph_sha256) {
      return failed(path, fmt::format("found {} without its {}; expected what it is about",
                                      status_name(document.status),
                                      problem.request ? "graph_sha256" : "request"));
    }
    const std::string other = difference(*problem.request, *problem.graph_sha256, expected);
    if (!other.empty()) return about_another(path, other);
    const bool of_all_orders = problem.request->settings.order == OrderKind::search;
    const NodeOrder order = problem.model ? problem.model->order : NodeOrder();
    // What a search for copies says is about all sets of its mode, and of narrower modes.
    const CopyChoice of_sets = problem.request->settings.copies;
    if (infeasible && of_sets < expected.copies) {
      return infeasible_with_some_copies(document, expected);
    }
    const Copies copies = problem.model ? problem.model->copies : Copies();
    if (infeasible && copies.tensors != expected.subject.model.copies.tensors) {
      return failed(path, "it says infeasible of other copies for gradients");
    }
    if (infeasible && !of_all_orders && order != expected.own_order()) {
      return failed(path, "it says infeasible of another order of the nodes");
    }
    if (infeasible && !of_all_orders && expected.kind == OrderKind::search) {
      return infeasible_in_one_order(document, expected);
    }
    SweepOutcome outcome{.result = {.status = document.status, .reason = document.error}};
    if (expected.kind == OrderKind::search) outcome.given_order = problem.given_order;
    return outcome;
  }
  return {.result = {.status = document.status, .reason = document.error}};
}

/// A file that cannot be read, such as one that a full disk cut short, fails its point only.
SweepOutcome outcome_in(const std::string& path, const Expected& expected) {
  try {
    const SolveDocument document = parse_solve_document(read_file(path), path);
    return document.file ? schedule_of(*document.file, path, expected)
                         : answer_of(document, path, expected);
  } catch (const InputError& error) {
    return {.failure = error.what()};
  }
}

}  // namespace

SweepOutcomes collect_outcomes(const std::string& folder, const SweepGrid& grid,
                               const std::vector<SweepPoint>& points, OrderKind kind,
                               CopyChoice copies) {
  std::vector<std::string> graphs;
  for (const Subject& subject : grid.subjects) {
    graphs.push_back(subject.graph_sha256());
  }
  SweepOutcomes outcomes;
  for (int p = 0; p < static_cast<int>(points.size()); ++p) {
    const std::string path =
        (std::filesystem::path(folder) / schedule_file_name(grid, points, p)).string();
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
      outcomes.push_back(SweepOutcome{.failure = fmt::format("there is no file '{}'", path)});
      continue;
    }
    const Expected expected{.subject = grid.subjects[points[p].subject],
                            .limits = points[p].limits,
                            .graph_sha256 = graphs[points[p].subject],
                            .kind = kind,
                            .copies = copies};
    outcomes.push_back(outcome_in(path, expected));
  }
  return outcomes;
}

}  // namespace poet
