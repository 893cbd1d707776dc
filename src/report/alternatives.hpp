#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/fields.hpp"
#include "poet/schedule_file.hpp"
#include "poet/units.hpp"

namespace poet {

/// What becomes of a tensor between two uses.
enum class Treatment { keep, recompute, page };

template <>
inline constexpr auto kNames<Treatment> =
    kWords<Treatment::keep, Treatment::recompute, Treatment::page>;

/// A schedule with another treatment of one tensor, as the replay judges it.
struct Alternative {
  Treatment treatment = Treatment::keep;
  bool replayed = false;  ///< false: there is nothing to replay, and `obstacle` says why
  std::string obstacle;   ///< why the schedule is invalid; empty if it is valid
  // If it was replayed, also of one that breaks a budget.
  Joules energy_joules = 0;
  Seconds runtime_seconds = 0;
  Bytes peak_ram_bytes = 0;
};

/// What a schedule does with one tensor, and what else it could do.
struct TensorChoice {
  int recompute_count = 0;
  int page_in_count = 0;
  /// The uses between which it could be gone, if it never is: the stages of two uses that follow
  /// each other and lie furthest apart. Both are -1 if no stage lies between any two.
  int gap_begin = -1;
  int gap_end = -1;
  bool weighed = true;  ///< false: the replays were too many for the limit, and this one was left
  std::vector<Alternative> alternatives;
};

/// For each node of a schedule file, what the other treatments of its output would cost in this
/// schedule, all else equal but for what is then superfluous. A tensor that is kept is recomputed
/// or paged once, over its widest gap; one that returns is kept all the time instead, or returns
/// the other way each time. What a recomputation reads is recomputed with it if it is gone. Every
/// figure comes from simulate(), under the file's own limits.
///
/// Tensors that return are all weighed. Kept ones follow, those with most bytes times stages of
/// their gap first, until all replays have read `max_work` entries of lists of stages. The file
/// must be free of findings (verify_schedule_file).
std::vector<TensorChoice> weigh_choices(const ScheduleFile& file, std::int64_t max_work);

}  // namespace poet
