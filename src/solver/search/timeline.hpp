#pragma once

#include <optional>
#include <vector>

#include "poet/schedule.hpp"
#include "solver/search/position.hpp"
#include "solver/search/ram_profile.hpp"
#include "solver/search/whole_costs.hpp"

namespace poet {

/// One thing that a plan does beyond the baseline: `node` is computed again, or is paged in, which
/// counts as the start of the stage that finds it in RAM, or its page-out is made later than
/// necessary, which counts as the end of the stage that makes it.
struct Entry {
  int node = 0;
  Position at = 0;

  bool operator==(const Entry&) const = default;
};

/// A stretch of time for which a tensor is in RAM, first and last moment included.
struct Instance {
  Position start = 0;
  Position end = 0;
  int entry = -1;  ///< its place in Timeline::entries(); -1 for the first computation
};

/// A schedule under construction, for a search on any graph.
///
/// The state is, for every node, the sorted list of its computations and page-ins, the first being
/// its own stage's. Everything else follows and is unique: an instance lives from its start to the
/// last use before the next one. Any list of computations is a schedule but for its RAM, since the
/// topological order makes the inputs exist, if need be for long. So nothing has to be closed or
/// repaired, and a thousand nodes have about as many instances as nodes: nothing is quadratic.
///
/// An operation costs the length of the lifetimes that it changes, and its inverse restores the
/// state exactly, since all figures are whole numbers. With this a search tries one to four million
/// moves a second.
///
/// Page-ins have rules of their own. What arrives at the start of stage s is read during stage
/// s - 1, so the tensor is in RAM in stage s - 2 last; tidy() removes page-ins for which a change
/// elsewhere has left no room. A paged tensor is written out once, in the stage after its first
/// computation, to whose start it is held at least. If transfers overlap with computations, a later
/// stage may have more time for it, so an entry can put it off: the tensor is then held to the end
/// of that stage, and neither comes back nor is computed again before.
class Timeline {
 public:
  /// The baseline.
  explicit Timeline(const WholeCosts& costs);

  const WholeCosts& costs() const { return costs_; }
  int size() const { return costs_.size(); }
  const std::vector<Instance>& instances(int node) const { return instances_[node]; }
  /// All entries, in no particular order. They can be inserted in any order: what one of them
  /// rules out depends on no third.
  const std::vector<Entry>& entries() const { return entries_; }
  const RamProfile& ram() const { return ram_; }
  bool has(const Entry& entry) const;
  /// The index of the last instance of a node that starts before `at`, later than its first start.
  int find(int node, Position at) const;
  /// The first computation after `after` that reads a node, and the last one before `before`;
  /// nothing if none does.
  std::optional<Position> next_use(int node, Position after) const;
  std::optional<Position> last_use(int node, Position before) const;

  /// Above the baseline.
  Units extra_energy() const { return energy_; }
  Units extra_time() const { return time_; }
  /// Bytes over the RAM budget, summed over computations, and over the budget of secondary storage.
  Bytes violation() const;
  /// Time over the runtime budget, or 0.
  Units overtime() const;
  bool feasible() const { return violation() == 0 && overtime() == 0; }

  /// Whether stage t may compute the node again, or may find it paged in.
  bool may_compute(int node, int t) const {
    return t > page_outs_[node].stage && t <= costs_.nodes[node].last_stage;
  }
  bool may_arrive(int node, int t) const {
    return costs_.nodes[node].page && t >= page_outs_[node].stage + 2 && t < size();
  }
  /// The stage that writes the node out if anything pages it in.
  int page_out_stage(int node) const { return page_outs_[node].stage; }
  /// The last stage that could write it out before its second instance.
  int last_page_out_stage(int node) const;
  bool may_add(const Entry& entry) const;
  /// What it costs by itself to add it.
  Units energy_of(const Entry& entry) const;
  bool is_paged(int node) const { return page_ins_[node] > 0; }
  /// Whether secondary storage has room for a copy beside those that are made.
  bool has_storage_for(int node) const {
    return written_ + costs_.nodes[node].stored <= costs_.write_budget;
  }
  /// What it adds to the runtime if a stage transfers for so much longer.
  Units time_of_transfer(int stage, Units transferring) const;

  // Changes. After a series of them call tidy(), then commit() or rollback().
  /// Returns false, and does nothing, if the entry is there already. It must be possible.
  bool insert(const Entry& entry);
  void remove(const Entry& entry);
  /// Removes the entries that serve nothing, or have no room, because of the changes since the last
  /// commit.
  void tidy();
  void commit() { changes_.clear(); }
  /// Calls visit(node) for all nodes whose instances or uses have changed since the last commit.
  template <typename Visit>
  void for_each_touched(const Visit& visit) const {
    for (const Change& change : changes_) {
      visit(change.entry.node);
      for (const int input : costs_.graph().nodes[change.entry.node].inputs) visit(input);
    }
  }
  void rollback();
  /// Replaces all entries, and commits. Leaves out those that are not possible.
  void restore(const std::vector<Entry>& entries);

  void set_ram_budget(Bytes budget) { ram_.set_budget(budget); }

 private:
  struct Change {
    Entry entry;
    bool inserted;
  };

  struct PageOut {
    int stage;
    int entry = -1;  ///< its place in entries(); -1 in the first stage that can make it
  };

  void put(const Entry& entry);
  void take(const Entry& entry);
  void put_event(const Entry& entry);
  void take_event(const Entry& entry);
  void charge_page_in(const Entry& entry, int sign);
  void move_page_out(int node, int stage);
  void charge_time(int stage, Units computing, Units transferring);
  Position held_until(int node, int index, Position end) const;
  Position natural_end(int node, int index, Position before) const;
  Position end_of_first(int node) const;
  void move_end(int node, int index, Position held, Position end);
  void add_instance(int node, int index, Instance instance);
  void drop_instance(int node, int index);
  int add_entry(const Entry& entry);
  void drop_entry(int place);
  void remove_misplaced_page_ins(int node);
  void remove_unused();
  void remove_needless_page_outs();

  const WholeCosts& costs_;
  std::vector<std::vector<Instance>> instances_;  // by node
  std::vector<Entry> entries_;
  RamProfile ram_;
  std::vector<int> page_ins_;       // by node
  std::vector<PageOut> page_outs_;  // by node
  Units energy_ = 0;
  Units time_ = 0;
  Bytes written_ = 0;  // to secondary storage
  // Time of each stage, for transfers beside computations.
  std::vector<Units> computing_;
  std::vector<Units> transferring_;

  std::vector<Change> changes_;
  std::vector<Entry> maybe_unused_;
};

/// The schedule of a timeline, and the entries of a schedule. What a timeline cannot express (a
/// computation repeated in the very next stage, a second page-out, one of a tensor that has been
/// computed again, or one later than necessary if transfers do not overlap) is left out.
Schedule to_schedule(const Timeline& timeline);
std::vector<Entry> entries_of(const Schedule& schedule);
/// The same as of its schedule, whose lists of residents take long to make on a large graph.
std::vector<Entry> entries_of(const Timeline& timeline);

}  // namespace poet
