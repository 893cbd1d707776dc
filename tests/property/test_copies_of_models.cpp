// The search over sets of copies on models, against sets that are drawn and against a greedy
// choice. POET_CASES=200 draws so many sets for each of four models, which takes an hour.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "poet/question.hpp"
#include "poet/simulate.hpp"
#include "question/choose_copies.hpp"
#include "solver/search/local_search.hpp"
#include "solver/search/position.hpp"
#include "support/cases.hpp"

namespace poet::test {
namespace {

constexpr int kUsualSets = 6;
constexpr double kShareOfRam = 0.3;
constexpr Joules kNoSchedule = std::numeric_limits<Joules>::infinity();

/// Sets of copies of a model, judged by a search for schedules of so many moves.
class JudgedSets {
 public:
  JudgedSets(Subject subject, Limits limits, std::int64_t moves)
      : subject_(std::move(subject)),
        limits_(limits),
        moves_(moves),
        names_(copy_candidates(subject_.model, CopyMode::int8)) {}

  std::size_t size() const { return names_.size(); }

  Joules energy_of(const std::vector<char>& set) const {
    Copies copies{.mode = CopyMode::int8};
    for (std::size_t c = 0; c < names_.size(); ++c) {
      if (set[c]) copies.tensors.push_back(names_[c]);
    }
    const Problem problem{.graph = with_copies(subject_, copies).graph, .limits = limits_};
    LocalSearchOptions search;
    search.moves = moves_;
    const auto schedule = local_search(problem, search);
    if (!schedule) return kNoSchedule;
    return simulate(problem.graph, *schedule, problem.limits).energy_joules;
  }

  /// Adds the tensor that saves most as long as one saves anything.
  Joules greedy() const {
    std::vector<char> set(size(), false);
    Joules best = energy_of(set);
    while (true) {
      int chosen = -1;
      for (std::size_t c = 0; c < size(); ++c) {
        if (set[c]) continue;
        set[c] = true;
        if (const Joules energy = energy_of(set); energy < best) {
          best = energy;
          chosen = static_cast<int>(c);
        }
        set[c] = false;
      }
      if (chosen < 0) return best;
      set[chosen] = true;
    }
  }

 private:
  Subject subject_;
  Limits limits_;
  std::int64_t moves_;
  std::vector<std::string> names_;
};

void check_model(const std::string& name, int sets) {
  SCOPED_TRACE(name);
  Question question{.ram = Ratio{kShareOfRam}, .runtime = Ratio{3}, .techniques = kOnlyRemat};
  question.settings.copies = CopyChoice::int8;
  const Subject subject =
      make_subject(load_model(name, 1, Backward::exact), load_platform("m4"), question);
  const Limits limits = resolve(subject, question).limits;
  question.settings.time_limit_seconds = 0;
  question.settings.effort = sets > kUsualSets ? Effort::standard : Effort::fast;
  const CopiedSubject found = choose_copies(subject, limits, question.settings, {});
  ASSERT_TRUE(found.start.has_value());
  const Joules energy = simulate(found.subject.graph, *found.start, limits).energy_joules;
  const JudgedSets judged(subject, limits, sets > kUsualSets ? 150'000 : 30'000);
  Joules drawn = kNoSchedule;
  Random random(1);
  for (int s = 0; s < sets; ++s) {
    const int share = 1 + random.below(9);
    std::vector<char> set;
    for (std::size_t c = 0; c < judged.size(); ++c) set.push_back(random.below(10) < share);
    drawn = std::min(drawn, judged.energy_of(set));
  }
  const Joules greedy = judged.greedy();
  const Joules base = subject.base.energy_joules;
  fmt::print("{}: +{:.3f} % chosen, +{:.3f} % best of {} sets, +{:.3f} % greedy\n", name,
             100 * (energy / base - 1), 100 * (drawn / base - 1), sets, 100 * (greedy / base - 1));
  EXPECT_LE(energy, drawn * (1 + 1e-9));
  EXPECT_LE(energy, greedy * (1 + 1e-9));
}

TEST(CopiesOfModels, TheChoiceIsNotAboveDrawnSetsAndNotAboveGreedy) {
  const int sets = wanted_cases(kUsualSets).count;
  if (sets <= kUsualSets) return check_model("ds_cnn", sets);
  for (const char* const name :
       {"mobilenet_v2_035_96", "mcunet_vww", "resnet18_cifar", "gpt2_tiny"}) {
    check_model(name, sets);
  }
}

}  // namespace
}  // namespace poet::test
