#include "solver/search/greedy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "solver/search/page_outs.hpp"

namespace poet {
namespace {

/// If all steps cost about the same, each looks cheapest until it is tried. After this many tries
/// the best of them will do.
constexpr int kMaxTries = 64;
constexpr int kMostEvictions = 16;  // for each node
constexpr double kNoise = 0.2;      // of prices, either way
constexpr double kUseless = std::numeric_limits<double>::infinity();

/// A stretch of time in which a tensor is in RAM and nothing uses it, between two moments at which
/// something does; the first may be its own computation or arrival.
struct IdleSpan {
  Position from = 0;
  Position to = 0;
};

/// Whether a computation could take over the RAM of this input if it went.
bool takes_over(const Timeline& timeline, Position use, int node) {
  return is_computation(use) && timeline.costs().nodes[node_at(use)].over == node;
}

/// The idle span of a node around a moment, if there is one; a use that could take over its RAM
/// belongs to the span after it.
std::optional<IdleSpan> find_idle_span(const Timeline& timeline, int node, Position at) {
  const std::vector<Instance>& list = timeline.instances(node);
  if (list[0].start >= at) return std::nullopt;
  const Instance& instance = list[timeline.find(node, at)];
  if (instance.end <= at) return std::nullopt;
  const Position after = takes_over(timeline, at, node) ? at : at - 1;
  const std::optional<Position> to = timeline.next_use(node, after);
  if (!to || *to == at || *to > instance.end) return std::nullopt;
  const std::optional<Position> from = timeline.last_use(node, after + 1);
  return IdleSpan{.from = std::max(instance.start, from.value_or(0)), .to = *to};
}

/// Whether the node can arrive where the span ends, with room for the transfer.
bool can_page(const Timeline& timeline, int node, const IdleSpan& span) {
  const int stage = stage_of(span.to);
  return stage - stage_of(span.from) >= 2 && timeline.may_arrive(node, stage);
}

/// Computes a node again, and first all of its inputs that have gone, as far as that is allowed.
/// Gives up, and returns false, as soon as the energy comes to more than `most`.
bool recompute(Timeline& timeline, int node, int stage, double most) {
  const Entry entry{node, computation(stage, node)};
  if (static_cast<double>(timeline.extra_energy() + timeline.energy_of(entry)) > most) return false;
  for (const int input : timeline.costs().graph().nodes[node].inputs) {
    if (!timeline.may_compute(input, stage)) continue;
    const Instance& latest = timeline.instances(input)[timeline.find(input, entry.at)];
    if (stage_of(latest.end) < stage && !recompute(timeline, input, stage, most)) return false;
  }
  timeline.insert(entry);
  return true;
}

bool bring_back(Timeline& timeline, const Entry& entry, double most) {
  if (is_computation(entry.at)) {
    return recompute(timeline, entry.node, stage_of(entry.at), most);
  }
  timeline.insert(entry);
  hide_page_out(timeline, entry.node);
  return true;
}

/// What brings a tensor back that was given up, and when its RAM is free until then.
struct Step {
  Entry entry;
  Position from = 0;
  double price = 0;  ///< units of energy for a byte, or less
};

/// Trying a step costs far more than remembering it, and prices mostly rise as violations fall. So
/// each step keeps its last price, and only the cheapest is tried anew.
class Descent {
 public:
  Descent(Timeline& timeline, Return back, const Stop& stop, Random* noise)
      : timeline_(timeline),
        back_(back),
        stop_(stop),
        noise_(noise),
        spans_(timeline.size()),
        prices_(timeline.size()) {}

  void run() {
    bool fresh = true;
    while (timeline_.violation() > 0 && !stop_()) {
      const bool taken = take_cheapest();
      if (!taken && fresh) break;
      // What was useless once may help by now.
      if (!taken) prices_.assign(timeline_.size(), {});
      fresh = !taken;
    }
  }

 private:
  using Prices = std::vector<std::pair<Position, double>>;  // by when a node comes back

  double& price_of(const Entry& entry) {
    Prices& prices = prices_[entry.node];
    const auto known = std::find_if(prices.begin(), prices.end(),
                                    [&](const auto& price) { return price.first == entry.at; });
    return known != prices.end() ? known->second : prices.emplace_back(entry.at, 0).second;
  }

  /// The bytes that a step can take off the violation, at most.
  Bytes relief(const Step& step) const {
    const Position first = step.from + (takes_over(timeline_, step.from, step.entry.node) ? 0 : 1);
    return timeline_.ram().relief(first, step.entry.at - 1,
                                  timeline_.costs().nodes[step.entry.node].bytes);
  }

  /// The idle span of a node around a moment, from the last look if nothing has changed between the
  /// ends of that span since: all moments between them have it alike.
  const IdleSpan* idle_span(int node, Position at) {
    IdleSpan& span = spans_[node];
    if (span.from < at && at < span.to) return &span;
    const std::optional<IdleSpan> found = find_idle_span(timeline_, node, at);
    span = found.value_or(IdleSpan());
    return found ? &span : nullptr;
  }

  void collect(Position at) {
    steps_.clear();
    for (int node = 0; node <= stage_of(at); ++node) {
      const IdleSpan* span = idle_span(node, at);
      if (span == nullptr) continue;
      const int last = stage_of(span->to);
      // The first stage that can compute the node behind that moment.
      const int soon = std::max(stage_of(at) + (node_at(at) < node ? 0 : 1), node + 2);
      if (last >= soon && timeline_.may_compute(node, last)) {
        add({.entry = {node, computation(last, node)}, .from = span->from});
      }
      if (back_ == Return::any && last > soon && timeline_.may_compute(node, soon)) {
        add({.entry = {node, computation(soon, node)}, .from = span->from});
      }
      if (last > stage_of(at) && can_page(timeline_, node, *span)) {
        add({.entry = {node, stage_start(last)}, .from = span->from});
      }
    }
  }

  void add(Step step) {
    double& price = price_of(step.entry);
    if (price == 0) {
      const Bytes bytes = relief(step);
      const auto energy = static_cast<double>(timeline_.energy_of(step.entry));
      price = bytes > 0 ? blurred(energy / static_cast<double>(bytes)) : kUseless;
    }
    if (price == kUseless) return;
    step.price = price;
    steps_.push_back(step);
  }

  double blurred(double price) {
    return noise_ == nullptr ? price : price * std::exp(kNoise * (2 * noise_->uniform() - 1));
  }

  bool take_cheapest() {
    collect(timeline_.ram().position(timeline_.ram().highest()));
    double least = kUseless;
    Step best;
    for (int tries = 0; tries < kMaxTries && !stop_(); ++tries) {
      const auto step =
          std::min_element(steps_.begin(), steps_.end(),
                           [](const Step& a, const Step& b) { return a.price < b.price; });
      if (step == steps_.end() || step->price >= least) break;
      price_of(step->entry) = step->price = try_out(*step, least);
      if (step->price < least) {
        least = step->price;
        best = *step;
      }
      step->price = kUseless;  // it has had its turn
    }
    if (least == kUseless) return false;
    bring_back(timeline_, best.entry, kUseless);
    timeline_.tidy();
    timeline_.for_each_touched([this](int node) { spans_[node] = {}; });
    timeline_.commit();
    return true;
  }

  /// The price of a step, or one that is at least `least` and no higher.
  double try_out(const Step& step, double least) {
    const Units energy = timeline_.extra_energy();
    const Bytes violation = timeline_.violation();
    const Units overtime = timeline_.overtime();
    const auto bytes = static_cast<double>(relief(step));
    if (bytes <= 0) return kUseless;
    const double most = least == kUseless ? kUseless : static_cast<double>(energy) + least * bytes;
    const bool whole = bring_back(timeline_, step.entry, most);
    double price = least;
    if (whole) {
      timeline_.tidy();
      const auto added = static_cast<double>(timeline_.extra_energy() - energy);
      const auto removed = static_cast<double>(violation - timeline_.violation());
      const bool in_time = timeline_.overtime() <= overtime;
      price = removed > 0 && in_time ? blurred(std::max(0.0, added) / removed) : kUseless;
    }
    timeline_.rollback();
    return price;
  }

  Timeline& timeline_;
  Return back_;
  const Stop& stop_;
  Random* noise_;
  std::vector<IdleSpan> spans_;  // by node, the last that was looked for
  std::vector<Prices> prices_;
  std::vector<Step> steps_;
};

}  // namespace

void descend(Timeline& timeline, Return back, const Stop& stop, Random* noise) {
  Descent(timeline, back, stop, noise).run();
}

void prune(Timeline& timeline, const Stop& stop) {
  for (bool removed = true; removed;) {
    removed = false;
    std::vector<Entry> entries = timeline.entries();
    std::sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
      const Units left = timeline.energy_of(a);
      const Units right = timeline.energy_of(b);
      return left != right ? left > right : std::pair(a.node, a.at) < std::pair(b.node, b.at);
    });
    for (const Entry& entry : entries) {
      if (stop()) return;
      if (!timeline.has(entry)) continue;
      const Units energy = timeline.extra_energy();
      timeline.remove(entry);
      timeline.tidy();
      if (timeline.feasible() && timeline.extra_energy() < energy) {
        timeline.commit();
        removed = true;
      } else {
        timeline.rollback();
      }
    }
  }
}

void evict_everything(Timeline& timeline, bool by_paging, const Stop& stop) {
  for (int node = 0; node < timeline.size() && !stop(); ++node) {
    const auto evictions = static_cast<std::int64_t>(timeline.entries().size());
    if (evictions > std::int64_t{kMostEvictions} * timeline.size()) return;
    for (Position at = timeline.instances(node)[0].start + 1;;) {
      const std::optional<Position> to = timeline.next_use(node, at);
      if (!to) break;
      const std::optional<IdleSpan> span = find_idle_span(timeline, node, *to - 1);
      at = *to;
      if (!span || stage_of(span->to) - stage_of(span->from) < 2) continue;
      const int stage = stage_of(*to);
      if (by_paging ? !can_page(timeline, node, *span) : !timeline.may_compute(node, stage)) {
        continue;
      }
      bring_back(timeline, {node, by_paging ? stage_start(stage) : computation(stage, node)},
                 kUseless);
      timeline.tidy();
      timeline.commit();
    }
  }
}

}  // namespace poet
