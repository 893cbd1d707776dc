#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "poet/model.hpp"
#include "poet/order.hpp"
#include "poet/platform.hpp"
#include "poet/problem.hpp"
#include "poet/schedule_file.hpp"
#include "poet/solve.hpp"
#include "poet/units.hpp"

namespace poet {

/// What to make of the file of a model.
struct ModelSettings {
  std::int64_t batch_size = 1;
  std::optional<Backward> backward{};  ///< absent: as the file states
  Bytes alignment = kUsualAlignment;   ///< as Model::alignment

  bool operator==(const ModelSettings&) const = default;
};

/// What a user asks about a model on a platform. What is absent is what is usual.
struct Question {
  /// `min` is the smallest budget that has a schedule, which a search finds first.
  RamBudget ram = NamedRam::smallest;
  std::optional<RuntimeBudget> runtime{};  ///< absent: any; for Objective::runtime alone
  TechniqueSet techniques{};
  std::optional<PagingTime> paging_time{};  ///< absent: blocking if the graph is exact, or free
  StorageBudgets storage{};  ///< without a storage budget, the platform's storage is one
  /// Whether a RAM budget in bytes or as a share holds the parameters, the optimizer's state and
  /// the platform's reserve as well as the tensors.
  bool count_parameters = false;
  SolveSettings settings{};
  EnergyEnd at{};     ///< of a platform with intervals: what counts as its energy figures
  NodeOrder order{};  ///< with OrderKind::stated: that order, for make_subject(); else empty
};

/// How a subject differs from one in the given order. Budgets as users state them are about the
/// given order, also if another one is chosen.
struct ChosenOrder {
  NodeOrder order;
  std::string graph_sha256;  ///< of the graph in the given order
  Baseline base;             ///< likewise
};

/// How a subject with copies for gradients differs from the one without. Budgets as users state
/// them are about the one without, and so is the digest of its problems.
struct WithoutCopies {
  std::string graph_sha256;  ///< of the graph in the given order
  Baseline base;             ///< likewise
};

/// What questions are about: a model on a platform, and what follows from the two.
struct Subject {
  Model model;
  std::optional<Platform> platform;  ///< absent for a model that brings its costs
  Graph graph;
  Baseline base;
  /// What its problems have in common: paging time, and the budgets for secondary storage.
  Limits limits{};
  std::optional<ChosenOrder> chosen{};    ///< absent: the nodes are in the given order
  std::optional<WithoutCopies> copied{};  ///< absent: the model has no copies
  // As in Question: what a graph with other copies is priced by.
  EnergyEnd at{};
  double mem_power_scale = 1;
  bool pages = true;

  /// `vgg16_cifar/m4`
  std::string name() const;
  /// The digest of its problems' graph in the given order, without copies.
  std::string graph_sha256() const {
    if (copied) return copied->graph_sha256;
    return chosen ? chosen->graph_sha256 : poet::graph_sha256(graph, limits.paging_time);
  }
  /// The digest of the graph in the chosen order and with its copies, which bounds and proofs are
  /// about; empty in the given order without copies.
  std::string order_sha256() const {
    return chosen || copied ? poet::graph_sha256(graph, limits.paging_time) : std::string();
  }
  /// What shares and multiples are shares and multiples of.
  const Baseline& stated_base() const {
    return copied ? copied->base : chosen ? chosen->base : base;
  }
  const Platform* platform_or_null() const { return platform ? &*platform : nullptr; }
};

/// Gives a model its costs on a platform. Of the question, the techniques, the paging time, the
/// budgets for secondary storage and the scale of memory power count. Throws InputError if the
/// model needs a platform and has none, as cost_graph() does, and as shared_limits() does.
Subject make_subject(Model model, std::optional<Platform> platform, const Question& question);

/// What an order of a subject's nodes has to keep beside the edges: what its graph's lists and its
/// model's formulas ask.
Precedence precedence(const Subject& subject);

/// The same subject with its nodes in another order, by index of the model's list; the given order
/// leaves nothing chosen. `given` must be in the given order. Throws InputError for an order that
/// is not legal.
Subject reordered(const Subject& given, const NodeOrder& order);

/// The same subject with its nodes in the given order.
Subject in_given_order(const Subject& subject);

/// The same subject with other copies, in its order, in which a copy stands right behind its
/// tensor. Throws InputError as with_copies(Model) does.
Subject with_copies(const Subject& subject, const Copies& copies);

/// As model_info(Model), with the digests of an order that was chosen.
ModelInfo model_info(const Subject& subject);

/// What an exported model of a subject's problems states about where their graph came from.
ProblemOrigin origin_of(const Subject& subject, const SolveSettings& settings);

/// Names the tensor with several users that makes POET's backward chain no training step; empty if
/// the model has none, or another backward pass.
std::string chain_note(const Model& model);

/// What all problems of a model have in common: the paging time and the budgets for secondary
/// storage that the question states, or what is usual. Throws InputError if transfers are to be
/// charged and nothing says how long they take.
Limits shared_limits(const Model& model, const Platform* platform, const Question& question);

/// The limits of a problem in absolute terms.
Limits limits_of(const Subject& subject, TechniqueSet set, const RuntimeBudget& runtime,
                 Bytes ram_budget_bytes);

/// A schedule, and the order of the nodes and the copies that it is for; an empty order is its
/// subject's own.
struct OrderedSchedule {
  Schedule schedule;
  NodeOrder order{};
  Copies copies{};
};

/// The smallest RAM budget that has a schedule, or the interval that it is proven to lie in. With
/// OrderKind::search both are about all orders of the nodes.
struct MinRam {
  bool infeasible = false;           ///< proven: no RAM budget has a schedule
  Bytes infeasible_below_bytes = 0;  ///< proven: no smaller budget has a schedule
  Bytes feasible_bytes = 0;          ///< the peak of `schedule`
  Schedule schedule;
  NodeOrder order{};            ///< of the schedule; empty: the subject's own
  int node = 0;                 ///< whose computation needs `feasible_bytes`, in the subject's list
  bool is_working_set = false;  ///< its inputs and output alone come to `feasible_bytes`
  std::string reason;           ///< why infeasible, or what stopped the search
  std::string failure;          ///< not empty: its process crashed, and how; the rest is void
  Seconds wall_seconds = 0;

  bool exact() const { return !infeasible && infeasible_below_bytes == feasible_bytes; }
};

/// How a question is answered.
struct AnswerOptions {
  /// Whether a schedule whose moves in RAM cost much is solved again in less RAM, so that it may
  /// need fewer; absent: if the model has measured nodes, whose energies nobody has recorded.
  std::optional<bool> prices_moves{};
  std::optional<Schedule> start{};  ///< as in SolveOptions; likewise below
  NodeOrder start_order{};          ///< of the start, with OrderKind::search; empty: the given one
  Copies start_copies{};            ///< of the start, if copies are searched
  std::function<std::optional<Schedule>(const Problem&)> suggest{};
  std::function<void(const Progress&)> progress{};
  std::function<bool()> interrupted{};
  /// Called when the search for the smallest RAM budget ends, if there is one.
  std::function<void(const MinRam&)> found_smallest{};
};

/// A question in absolute terms.
struct ResolvedQuestion {
  Limits limits;
  Request request;                 ///< what a schedule file states of it
  std::optional<MinRam> smallest;  ///< of the search, if there was one
  bool interrupted = false;        ///< the search was, and its best budget counts
  /// The answer if it is known already: nothing is left for tensors, or the search was interrupted.
  std::optional<SolveResult> known;
};

/// Finds out what the budgets of a question come to. If the RAM budget is `min`, that takes up to
/// half of the time limit. Throws InputError for a name that stands for nothing here.
ResolvedQuestion resolve(const Subject& subject, const Question& question,
                         const AnswerOptions& options = {});

/// A schedule whose place one with fewer moves has taken.
struct PassedOver {
  Status status = Status::unknown;
  Joules energy_joules = 0;
  Joules with_moves_joules = 0;  ///< the same with its moves
};

/// What came out.
struct Answer {
  SolveResult result;
  /// With Objective::runtime, the runtime budget is the least time.
  Limits limits;
  ProblemInfo problem;               ///< for error_json(), with what a proof says
  std::optional<ScheduleFile> file;  ///< of the schedule, if there is one, with its offsets
  std::optional<PassedOver> passed_over{};
};

/// Solves a question in a child process whose best schedule outlives it. Any objective is proven,
/// or the status is no more than Status::feasible. Throws InternalError if a replay contradicts the
/// solver.
Answer answer(const Subject& subject, const ResolvedQuestion& question,
              const AnswerOptions& options = {});
/// The two at once.
Answer answer(const Subject& subject, const Question& question, const AnswerOptions& options = {});

}  // namespace poet
