#include "solver/formulation/embed.hpp"

#include <algorithm>

namespace poet {
namespace {

bool contains(const std::vector<int>& nodes, int i) {
  return std::find(nodes.begin(), nodes.end(), i) != nodes.end();
}

class Embedding {
 public:
  Embedding(const Formulation& model, const Schedule& schedule)
      : model_(model), schedule_(schedule), values_(model.milp.columns.size(), 0.0) {}

  std::vector<double> run() {
    const int first = model_.scope.first_stage;
    for (int i = 0; i < model_.size(); ++i) {
      bool stored = false;
      for (int t = first; t < model_.size(); ++t) {
        if (i < t) fill(t, i, stored);
        stored = stored || contains(schedule_.stages[t].page_out, i);
        if (contains(schedule_.stages[t].page_in, i)) set(model_.paged[i], true);
      }
    }
    return std::move(values_);
  }

 private:
  void set(const Quantity& quantity, bool value) {
    if (!quantity.is_constant()) values_[quantity.columns[0]] = value ? 1 : 0;
  }

  void fill(int t, int i, bool stored) {
    const Stage& stage = schedule_.stages[t];
    const bool resident = contains(stage.resident, i);
    const bool computed = contains(stage.compute, i);
    const bool arrived =
        t > model_.scope.first_stage && contains(schedule_.stages[t - 1].page_in, i);
    set(model_.carried(t, i), resident && !arrived);
    set(model_.compute(t, i), computed);
    set(model_.page_in(t, i), contains(stage.page_in, i));
    set(model_.page_out(t, i), contains(stage.page_out, i));
    set(model_.stored(t, i), stored);
    if (resident || computed) fill_chain(t, i);
  }

  /// Rule 5: held until the last user that the stage computes, and to the end of the stage where
  /// the next one has it without a page-in, or where no user frees it.
  void fill_chain(int t, int i) {
    const Stage& stage = schedule_.stages[t];
    const HoldingChain& chain = model_.chains[t][i];
    const auto used = [&](int j) { return contains(stage.compute, j); };
    const bool last_stage = t + 1 == model_.size();
    const bool next =
        !last_stage && contains(schedule_.stages[t + 1].resident, i) && !contains(stage.page_in, i);
    bool held = next || std::none_of(chain.users.begin(), chain.users.end(), used);
    if (!model_.page_out(t, i).is_zero()) set(chain.at_end, held);
    for (std::size_t q = chain.users.size(); q-- > 1;) {
      held = held || used(chain.users[q]);
      set(chain.held[q], held);
    }
  }

  const Formulation& model_;
  const Schedule& schedule_;
  std::vector<double> values_;
};

}  // namespace

std::vector<double> embed(const Formulation& model, const Schedule& schedule) {
  return Embedding(model, schedule).run();
}

}  // namespace poet
