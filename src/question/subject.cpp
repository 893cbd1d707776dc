// A model on a platform: the graph with its costs, in one order of its nodes. What a budget means
// is fixed by the given order, even if the subject is in another: shares of the baseline's RAM and
// multiples of its time would change with the order otherwise, and two results could not be
// compared. So a reordered subject keeps the figures and the digest of the order it came from, and
// a subject with copies keeps those without.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "poet/error.hpp"
#include "poet/question.hpp"
#include "report/energy_box.hpp"
#include "report/fields.hpp"

namespace poet {
namespace {

bool states_times(const ModelNode& node) {
  return node.measured && (node.measured->page_in_seconds || node.measured->page_out_seconds);
}

/// The graph of the subject's model, in the model's order.
void price(Subject& subject) {
  std::optional<Platform> costs;
  if (subject.platform) costs = at_end(*subject.platform, subject.at);
  subject.graph =
      cost_graph(subject.model, costs ? &*costs : nullptr, subject.mem_power_scale, subject.pages);
  subject.base = baseline(subject.graph);
}

}  // namespace

std::string Subject::name() const {
  return platform ? fmt::format("{}/{}", model.name, platform->name) : model.name;
}

// POET's graphs charge no time for transfers, as the paper does; an exact step does.
Limits shared_limits(const Model& model, const Platform* platform, const Question& question) {
  const PagingTime usual =
      model.backward == Backward::exact ? PagingTime::blocking : PagingTime::free;
  const bool has_times =
      platform != nullptr || std::any_of(model.nodes.begin(), model.nodes.end(), states_times);
  if (!has_times && question.paging_time.value_or(PagingTime::free) != PagingTime::free) {
    throw InputError(
        fmt::format("found '{}', but a model without a platform does not say how long "
                    "transfers take; expected a platform, nodes that state it, or free",
                    name_of(*question.paging_time)));
  }
  Limits limits{.paging_time = question.paging_time.value_or(usual), .storage = question.storage};
  if (!limits.storage.storage_budget_bytes && platform != nullptr) {
    limits.storage.storage_budget_bytes = platform->storage_bytes;
  }
  return limits;
}

Subject make_subject(Model model, std::optional<Platform> platform, const Question& question) {
  Subject subject{.model = std::move(model),
                  .platform = std::move(platform),
                  .at = question.at,
                  .mem_power_scale = question.settings.mem_power_scale,
                  .pages = question.techniques.paging};
  subject.limits = shared_limits(subject.model, subject.platform_or_null(), question);
  if (!subject.model.copies.tensors.empty()) {
    const Copies copies = subject.model.copies;
    subject.model = with_copies(subject.model, {});
    price(subject);
    subject = with_copies(subject, copies);
  } else {
    price(subject);
  }
  return question.order.empty() ? subject : reordered(subject, question.order);
}

Precedence precedence(const Subject& subject) {
  Precedence pairs = precedence(subject.graph);
  const Precedence formulas = precedence(subject.model);
  pairs.insert(pairs.end(), formulas.begin(), formulas.end());
  return pairs;
}

// The given order itself leaves the subject as it is, so that its files are the same as without an
// order.
Subject reordered(const Subject& given, const NodeOrder& order) {
  if (given.chosen) throw InternalError("a subject whose order is chosen is to be put in another");
  check_order(given.graph, precedence(given), order);
  if (std::is_sorted(order.begin(), order.end())) return given;
  Subject subject = given;
  subject.model = permuted(given.model, order);
  subject.graph = permuted(given.graph, order);
  subject.chosen =
      ChosenOrder{order, poet::graph_sha256(given.graph, given.limits.paging_time), given.base};
  subject.base = baseline(subject.graph);
  return subject;
}

Subject in_given_order(const Subject& subject) {
  if (!subject.chosen) return subject;
  const NodeOrder back = inverse(subject.chosen->order);
  Subject given = subject;
  given.model = permuted(subject.model, back);
  given.graph = permuted(subject.graph, back);
  given.base = subject.chosen->base;
  given.chosen.reset();
  return given;
}

Subject with_copies(const Subject& subject, const Copies& copies) {
  if (copies.tensors == subject.model.copies.tensors &&
      (copies.tensors.empty() || copies.mode == subject.model.copies.mode)) {
    return subject;
  }
  const Subject given = in_given_order(subject);
  Subject changed = given;
  changed.model = with_copies(given.model, copies);
  price(changed);
  if (changed.model.copies.tensors.empty()) {
    changed.copied.reset();
  } else if (!given.copied) {
    changed.copied = WithoutCopies{given.graph_sha256(), given.base};
  }
  if (!subject.chosen) return changed;
  return reordered(changed, with_copies(subject.model, copies).order);
}

ModelInfo model_info(const Subject& subject) {
  ModelInfo info = model_info(subject.model);
  if (subject.copied) info.uncopied_graph_sha256 = subject.graph_sha256();
  if (!subject.chosen) return info;
  info.graph_sha256 = subject.chosen->graph_sha256;
  info.order_sha256 = subject.order_sha256();
  return info;
}

Limits limits_of(const Subject& subject, TechniqueSet set, const RuntimeBudget& runtime,
                 Bytes ram_budget_bytes) {
  Limits limits = subject.limits;
  limits.ram_budget_bytes = ram_budget_bytes;
  limits.runtime_budget_seconds = resolve(runtime, subject.stated_base());
  limits.techniques = set;
  return limits;
}

ProblemOrigin origin_of(const Subject& subject, const SolveSettings& settings) {
  const auto named = [](const auto& source) {
    return fmt::format("{}, sha256 {}", source.name, source.sha256);
  };
  return {.model = named(subject.model),
          .platform = subject.platform ? named(*subject.platform) : std::string(),
          .batch_size = subject.model.batch_size,
          .mem_power_scale = settings.mem_power_scale,
          .given_graph_sha256 = subject.chosen ? subject.chosen->graph_sha256 : std::string()};
}

// The first tensor with several readers is named: a note about all of them would be long and say no
// more.
std::string chain_note(const Model& model) {
  if (model.backward != Backward::poet_chain) return {};
  std::vector<int> users(model.nodes.size());
  for (const ModelNode& node : model.nodes) {
    if (node.backward) continue;
    for (const int input : node.inputs) ++users[input];
  }
  const auto shared = std::find_if(users.begin(), users.end(), [](int count) { return count > 1; });
  if (shared == users.end()) return {};
  return fmt::format(
      "{}: POET's backward chain does not add up the gradients of '{}', which {} layers read; "
      "--backward exact has the training step as it is computed",
      printable(model.name), printable(model.nodes[shared - users.begin()].name), *shared);
}

}  // namespace poet
