#pragma once

#include <vector>

#include "solver/search/position.hpp"
#include "solver/search/timeline.hpp"

namespace poet {

/// Stages in which moves may change something, both included.
struct StageWindow {
  int first = 0;
  int last = 0;

  bool has(int stage) const { return first <= stage && stage <= last; }
};

/// Random changes to a timeline: an entry is added, removed, shifted by a few stages, replaced by
/// one of an input or a user, or all recomputations of a stage move to another. Half of the added
/// ones are aimed: they free the RAM of a tensor that lies idle at a moment of much RAM. If
/// transfers overlap with computations, page-outs move to other stages as well. Now and then all
/// returns of a tensor change at once, because a copy is paid once (copy_moves.cpp), which lowers
/// energies on hard problems; how often it is tried matters little.
///
/// What is recomputed needs its inputs, and some of them have gone. Each of these is either held
/// until then or itself recomputed, and so on; how often the one or the other is drawn anew for
/// each move, so that long chains of recomputations are tried as well as single ones. The best
/// plans recompute early, while the inputs are still in RAM, and keep the result; a move to a late
/// stage finds the relatives of a node wherever they lie in the order.
///
/// The aimed moves and a hotter first search matter most in large layered graphs at low budgets.
/// Recomputing all that has gone is tried once in sixteen times: once in five delays first
/// schedules there.
class TimelineMoves {
 public:
  TimelineMoves(Timeline& timeline, Random& random);

  void set_window(StageWindow window);
  /// Whether nodes whose pages cost more than their computation are paged less often. Neither is
  /// better on all graphs: a computation can need others.
  void set_paging_by_cost(bool by_cost) { paging_by_cost_ = by_cost; }
  /// Tries a move, which tidy() has to follow. Gives up early, and returns false, if the energy
  /// alone would come to more than `affordable`: most moves end there, before RAM is touched.
  bool propose(double affordable);

 private:
  int page_percent(int node) const;
  bool add_or_relieve();
  bool add_some();
  bool relieve_some();
  void add_neighbours(int node, int stage);
  bool remove_some();
  bool shift_some();
  bool swap_some();
  bool shift_stage();
  bool shift_page_out();
  bool change_copy();
  bool open_copy(int node);
  bool close_copy(int node, int substitute);
  std::vector<int> returns_of(int node) const;
  int pick_relative(int node);
  int pick_open_copy();
  const Entry* pick_entry();
  int pick_high_event();
  int pick_stage(int node, Position start, Position end);
  int stage_near_relative(int node, int first, int last);
  int stage_of_some_use(int node);
  bool add(int node, int stage, bool by_paging);
  void draw_depth();
  bool recompute(int node, int stage);
  bool is_hopeless(Units more) const;

  Timeline& timeline_;
  Random& random_;
  StageWindow window_;
  std::vector<int> nodes_;         // those that can have an entry in the window
  std::vector<int> page_percent_;  // by cost, by node
  bool paging_by_cost_ = false;
  double affordable_ = 0;
  // How to treat the inputs that have gone, in the move under way.
  double recompute_share_ = 0;
  int recomputations_left_ = 0;
};

}  // namespace poet
