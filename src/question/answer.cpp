// The whole road from what a user asks to a schedule file. A command of the program, a call from
// C++ and each point of a sweep mean the same by a question because they ask it here. Budgets are
// made into bytes and seconds first, then one solve answers: words such as `min` take a search of
// their own, which has a share of the time limit and whose schedule the solve begins with. Seconds
// and bytes are what a file states, so a result can be checked without knowing the words.

#include <utility>

#include <fmt/format.h>

#include "base/stopwatch.hpp"
#include "poet/error.hpp"
#include "poet/question.hpp"
#include "poet/solve.hpp"
#include "question/choose_copies.hpp"
#include "question/choose_order.hpp"
#include "question/fewer_moves.hpp"
#include "question/least_ram.hpp"
#include "question/regret.hpp"
#include "question/room_for_tensors.hpp"
#include "question/watched_solve.hpp"
#include "report/energy_box.hpp"
#include "report/summary.hpp"

namespace poet {
namespace {

/// What the solve may take of the time limit if the energy figures of the platform have intervals.
/// The solves at their ends have the rest.
constexpr double kSolveShare = 0.5;

/// What the search for the smallest RAM budget may take of the time limit, so that the solve is
/// left with the rest.
constexpr double kSmallestRamShare = 0.5;

/// No stage computes or transfers a tensor twice, so no schedule takes longer than a baseline and
/// all transfers in each stage. If the baseline takes no time, a multiple cannot express that.
RuntimeBudget any_runtime(const Subject& subject) {
  Seconds of_stage = subject.base.runtime_seconds;
  for (const Node& node : subject.graph.nodes) {
    of_stage += node.page_in_seconds + node.page_out_seconds;
  }
  return RuntimeBudget(std::in_place_type<Seconds>,
                       static_cast<double>(subject.graph.size()) * of_stage);
}

MinRam search_smallest(const Subject& subject, const Limits& limits, const SolveSettings& settings,
                       const AnswerOptions& options) {
  SolveOptions search{.settings = settings, .suggest = options.suggest};
  search.settings.time_limit_seconds *= kSmallestRamShare;
  search.settings.objective = Objective::energy;  // any schedule will do
  search.interrupted = options.interrupted;
  MinRam found;
  if (settings.objective != Objective::ram) {
    found = least_ram_in_given_order(with_copies(subject, {}), limits, search);
  } else if (settings.order == OrderKind::search) {
    found = least_ram_of_orders(subject, limits, search);
  } else {
    found = least_ram(subject, limits, search);
  }
  if (options.found_smallest) options.found_smallest(found);
  return found;
}

SolveResult interrupted_search() {
  return {.reason = "interrupted before the smallest RAM budget was known", .interrupted = true};
}

// A start that the user named wins over the schedule that the search for `min` has found.
SolveOptions solve_options(const ResolvedQuestion& question, const AnswerOptions& options) {
  SolveOptions solve{.settings = question.request.settings,
                     .start = options.start,
                     .suggest = options.suggest,
                     .progress = options.progress,
                     .interrupted = options.interrupted};
  if (!question.smallest) return solve;
  const MinRam& smallest = *question.smallest;
  if (!solve.start && !smallest.infeasible && smallest.order.empty()) {
    solve.start = smallest.schedule;
  }
  Seconds& limit = solve.settings.time_limit_seconds;
  limit = rest_of_limit(limit, smallest.wall_seconds);
  return solve;
}

Pricing pricing_of(const Subject& subject, const Problem& problem, const SolveSettings& settings) {
  return {.model = subject.model,
          .platform = *subject.platform,
          .mem_power_scale = settings.mem_power_scale,
          .paging = problem.limits.techniques.paging};
}

ProblemInfo problem_info(const Subject& subject) {
  ProblemInfo problem{.model = model_info(subject), .graph_sha256 = subject.graph_sha256()};
  if (subject.platform) problem.platform = platform_info(*subject.platform);
  return problem;
}

}  // namespace

// The order of the steps matters: the smallest budget takes the other limits, and parameters are
// subtracted from what the user stated, not from what is left for tensors.
ResolvedQuestion resolve(const Subject& subject, const Question& question,
                         const AnswerOptions& options) {
  if (!question.runtime && question.settings.objective != Objective::runtime) {
    throw InputError("a question without a runtime budget; expected one, or Objective::runtime");
  }
  if (question.settings.objective == Objective::ram &&
      question.settings.copies != CopyChoice::none) {
    throw InputError(
        "a search for copies with Objective::ram; expected copies that are stated, or none");
  }
  if (question.settings.objective == Objective::ram && !is_smallest(question.ram)) {
    throw InputError(
        "a RAM budget with Objective::ram, which looks for the smallest; expected min");
  }
  const RuntimeBudget runtime = question.runtime.value_or(any_runtime(subject));
  ResolvedQuestion resolved{.limits = limits_of(subject, question.techniques, runtime, 0)};
  NamedRamBytes named{.chip = chip_ram_bytes(subject.model, subject.platform_or_null())};
  if (is_smallest(question.ram)) {
    resolved.smallest = search_smallest(subject, resolved.limits, question.settings, options);
    const MinRam& smallest = *resolved.smallest;
    resolved.interrupted = options.interrupted && options.interrupted();
    if (resolved.interrupted && question.settings.objective != Objective::ram) {
      resolved.known = interrupted_search();
    }
    named.smallest =
        smallest.infeasible ? working_set(subject.graph).bytes : smallest.feasible_bytes;
  }
  const Bytes stated_bytes = resolve(question.ram, subject.stated_base(), named);
  resolved.limits.ram_budget_bytes = ram_for_tensors(subject, question, stated_bytes);
  resolved.request =
      make_request(resolved.limits, runtime, subject.stated_base(), question.settings);
  resolved.request.at = question.at;
  if (const auto reason = no_room_for_tensors(subject, question, stated_bytes)) {
    resolved.known = SolveResult{.status = Status::infeasible, .reason = *reason};
  }
  return resolved;
}

namespace {

/// What the intervals of the platform leave open about the schedule of a file. The solves take what
/// is left of the time limit of `options`.
void add_uncertainty(ScheduleFile& file, const Subject& subject, const Problem& problem,
                     const EnergyBox& box, SolveOptions options) {
  const Stopwatch watch;
  const Seconds spent = file.solver.wall_seconds;
  Seconds& limit = options.settings.time_limit_seconds;
  limit = rest_of_limit(limit, spent);
  options.progress = nullptr;
  if (!box.figures.empty()) {
    const auto watched = [](const Problem& at_corner, const SolveOptions& how) {
      return solve_watched(at_corner, how, solve);
    };
    file.uncertainty.energy_range =
        energy_range(box, problem.limits, file.schedule, options, watched);
  }
  file.uncertainty.runtime_range =
      runtime_range(pricing_of(subject, problem, options.settings), file.schedule, problem.limits);
  file.solver.wall_seconds += watch.elapsed();
}

// The road without a search over orders: what is known needs no solve, and a solve for the shortest
// time states the budget that it came to, as its energy is the least within that time.
Answer answer_in_order(const Subject& subject, const ResolvedQuestion& question,
                       const AnswerOptions& options) {
  Problem problem{.graph = subject.graph, .limits = question.limits};
  Request request = question.request;
  Answer answer{.problem = problem_info(subject)};
  const bool is_named = !question.known || question.known->status == Status::infeasible;
  if (is_named) answer.problem.request = request;
  SolveResult& result = answer.result;
  EnergyBox box;
  if (subject.platform && !question.known) {
    box = energy_box(pricing_of(subject, problem, request.settings));
  }
  SolveOptions whole = solve_options(question, options);
  const bool is_of_graph = question.request.settings.objective == Objective::ram;
  // What `min` stands for otherwise is about the graph without copies.
  if (subject.copied && !is_of_graph) whole.start = options.start;
  SolveOptions first = whole;
  if (!box.figures.empty()) first.settings.time_limit_seconds *= kSolveShare;
  result = question.known ? *question.known : solve_watched(problem, first, solve);
  if (result.runtime_budget_seconds) {
    problem.limits.runtime_budget_seconds = *result.runtime_budget_seconds;
    request = make_request(problem.limits, *result.runtime_budget_seconds, subject.stated_base(),
                           request.settings);
    request.at = question.request.at;
    answer.problem.request = request;
  }
  answer.limits = problem.limits;
  if (!result.schedule) {
    add_proof(answer.problem, result, subject.graph);
    return answer;
  }
  if (request.settings.objective == Objective::ram && question.smallest) {
    result.interrupted = result.interrupted || question.interrupted;
    result.bounds.ram_lower_bound_bytes = question.smallest->infeasible_below_bytes;
  }
  answer.file =
      make_schedule_file(subject.model, subject.platform_or_null(), problem, request, result);
  if (subject.copied) answer.file->model.uncopied_graph_sha256 = subject.graph_sha256();
  const bool is_measured = subject.model.backward == Backward::explicit_nodes;
  if (subject.platform && request.settings.objective == Objective::energy &&
      options.prices_moves.value_or(is_measured)) {
    if (auto other = with_fewer_moves(*answer.file, *subject.platform, whole)) {
      answer.passed_over = PassedOver{answer.file->status, answer.file->summary.energy_joules,
                                      with_moves(*answer.file)};
      answer.file = std::move(other);
    }
  }
  result.status = answer.file->status;  // which says whether the objective is proven as well
  if (subject.platform) add_uncertainty(*answer.file, subject, problem, box, whole);
  return answer;
}

/// The rest of a question once a part of its time is spent.
ResolvedQuestion after(const ResolvedQuestion& question, Seconds spent) {
  ResolvedQuestion rest = question;
  Seconds& limit = rest.request.settings.time_limit_seconds;
  limit = rest_of_limit(limit, spent);
  return rest;
}

/// No schedule was found in any order. What the given order alone comes to is known by a solve;
/// that it has none says nothing about others.
Answer answer_in_given_order(const Subject& given, const ResolvedQuestion& question,
                             const AnswerOptions& options) {
  Answer answer = answer_in_order(given, question, options);
  SolveResult& result = answer.result;
  if (result.status != Status::infeasible) return answer;
  answer.problem.given_order = Status::infeasible;
  result = unknown_in_other_orders(given, result);
  answer.problem.node.reset();
  answer.problem.smallest_ram_bytes = result.smallest_ram_bytes;
  answer.problem.smallest_ram_is_exact = false;
  return answer;
}

/// Every budget is resolved in the given order. The search for an order comes first; the solve then
/// begins with its schedule, and is about its order alone.
Answer answer_in_some_order(const Subject& given, const ResolvedQuestion& question,
                            const AnswerOptions& options) {
  if (instant_verdict({.graph = given.graph, .limits = question.limits}, given.base).kind ==
      Verdict::Kind::optimal) {
    return answer_in_order(given, question, options);  // nothing is left to save
  }
  if (auto refused = infeasible_in_any_order(given, question.limits)) {
    ResolvedQuestion known = question;
    known.known = std::move(refused);
    return answer_in_order(given, known, options);
  }
  AnswerOptions started = options;
  SolveSettings settings = question.request.settings;
  if (question.smallest && !question.smallest->infeasible) {
    Seconds& limit = settings.time_limit_seconds;
    limit = rest_of_limit(limit, question.smallest->wall_seconds);
    if (!started.start) {
      started.start = question.smallest->schedule;
      started.start_order = question.smallest->order;
    }
  }
  const ChosenSubject chosen = choose_order(given, question.limits, settings, started);
  const ResolvedQuestion rest = after(question, chosen.wall_seconds);
  started.start = chosen.start;
  started.start_order = {};
  if (options.progress) {
    started.progress = [&](Progress now) {
      now.elapsed_seconds += chosen.wall_seconds;
      options.progress(now);
    };
  }
  if (!chosen.start) return answer_in_given_order(given, rest, started);
  Answer answer = answer_in_order(chosen.subject, rest, started);
  if (answer.result.reason.empty()) answer.result.reason = chosen.failure;
  if (!answer.file) return answer;
  answer.file->request.settings.time_limit_seconds = question.request.settings.time_limit_seconds;
  answer.file->bought.given_order_energy_joules = chosen.given_energy_joules;
  answer.file->solver.heuristic_seconds += chosen.wall_seconds;
  answer.file->solver.wall_seconds += chosen.wall_seconds;
  return answer;
}

/// Every budget is resolved without copies. The search for copies comes first; the solve then
/// begins with its schedule, and is about its graph alone. No set has a schedule of less energy
/// than one pass without copies.
Answer answer_with_copies(const Subject& given, const ResolvedQuestion& question,
                          const AnswerOptions& options) {
  ResolvedQuestion known = question;
  known.known =
      infeasible_with_any_copies(given, question.limits, question.request.settings.copies);
  const Problem problem{.graph = given.graph, .limits = question.limits};
  const bool is_least = instant_verdict(problem, given.base).kind == Verdict::Kind::optimal;
  if (is_least || known.known) return answer_in_order(given, known, options);
  AnswerOptions started = options;
  const bool has_smallest = question.smallest && !question.smallest->infeasible;
  if (has_smallest && !started.start) started.start = question.smallest->schedule;
  const CopiedSubject chosen =
      choose_order_and_copies(given, question.limits, question.request.settings, started);
  const ResolvedQuestion rest = after(question, chosen.wall_seconds);
  started.start = chosen.start;
  Answer answer = answer_in_order(chosen.subject, rest, started);
  SolveResult& result = answer.result;
  if (result.status == Status::infeasible) {
    answer.problem.node.reset();
    answer.problem.smallest_ram_bytes.reset();
    result = unknown_with_other_copies(result);
  }
  if (!answer.file) return answer;
  answer.file->request.settings.time_limit_seconds = question.request.settings.time_limit_seconds;
  answer.file->copied = {.uncopied_baseline_joules = given.stated_base().energy_joules,
                         .uncopied_energy_joules = chosen.without_joules};
  answer.file->solver.heuristic_seconds += chosen.wall_seconds;
  answer.file->solver.wall_seconds += chosen.wall_seconds;
  return answer;
}

}  // namespace

Answer answer(const Subject& subject, const ResolvedQuestion& question,
              const AnswerOptions& options) {
  if (question.request.settings.copies != CopyChoice::none && !question.known) {
    return answer_with_copies(subject, question, options);
  }
  if (question.request.settings.order == OrderKind::search && !question.known && !subject.chosen) {
    return answer_in_some_order(subject, question, options);
  }
  return answer_in_order(subject, question, options);
}

Answer answer(const Subject& subject, const Question& question, const AnswerOptions& options) {
  return answer(subject, resolve(subject, question, options), options);
}

}  // namespace poet
