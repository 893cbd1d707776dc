#pragma once

#include <string>
#include <vector>

#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/schedule_file.hpp"
#include "poet/units.hpp"

namespace poet {

/// Whether what the request's objective names is within the request's gap of its bound; true for
/// the energy, whose gap has its own check.
bool objective_is_proven(const ScheduleFile& file);

/// Appends what is wrong with a file's status, bounds and code, one line each. A replay, which came
/// to `energy`, cannot compute them, only contradict them.
void check_claim(std::vector<std::string>& found, const ScheduleFile& file, Joules energy);

/// Appends what is wrong with the program of a valid schedule, and what check_arena() finds.
void check_program(std::vector<std::string>& found, const ScheduleFile& file, const Model* model,
                   const Platform* platform);

/// Appends what is wrong with the offsets and slots of a file, and with what its summary says they
/// use, one line each, and what check_banks() finds. `platform` may be null: then nobody knows what
/// moves cost.
void check_arena(std::vector<std::string>& found, const ScheduleFile& file, const Model* model,
                 const Platform* platform);

/// Appends what is wrong with the banks of a file, if it has some: tensors that no single bank
/// holds, and figures that the program and the rates, the model or the platform contradict. The
/// model is in the given order. Either may be null.
void check_banks(std::vector<std::string>& found, const ScheduleFile& file, const Model* model,
                 const Platform* platform);

/// Appends what is wrong with the copies that a file states, one line each.
void check_copies(std::vector<std::string>& found, const ScheduleFile& file);

/// Appends what is wrong with a file's statements on the intervals of its platform; `energy` comes
/// from the replay. Without the model, which is in the given order, or without the platform, less
/// can be compared; either may be null.
void check_uncertainty(std::vector<std::string>& found, const ScheduleFile& file, Joules energy,
                       const Model* model, const Platform* platform);

}  // namespace poet
