#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "execute/run_result.hpp"
#include "model/op.hpp"
#include "poet/platform.hpp"
#include "poet/schedule_file.hpp"
#include "report/model_report.hpp"

namespace poet {

/// What is built in, as far as it was asked for.
struct BuiltIn {
  std::optional<std::vector<ModelReport>> models;
  std::optional<std::vector<Platform>> platforms;
  std::optional<std::span<const OpRule>> ops;
};

/// `{"models": [...], "platforms": [...], "ops": [...]}`; an absent list is left out. On several
/// lines, or on one if it is to be `compact`.
std::string list_json(const BuiltIn& lists, bool compact);

/// A model in figures as one JSON document ("format": "poet-info", "version": 1).
std::string info_json(const ModelReport& report);

/// What the run of a schedule gave as one JSON document ("format": "poet-run", "version": 1); see
/// docs/run-format.md. A loss that is not finite is null.
std::string run_json(const ScheduleFile& schedule, const RunSettings& settings,
                     const RunResult& result);

/// An epoch of a training as a line of JSON; see docs/run-format.md. Without a cross entropy there
/// is no accuracy.
std::string epoch_json(const EpochResult& epoch);

}  // namespace poet
