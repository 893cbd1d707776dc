#pragma once

#include <optional>
#include <string>

#include "formats/named_text.hpp"
#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/schedule_file.hpp"
#include "step/training_step.hpp"

namespace poet {

/// Throws InputError, with the name of the schedule, unless its graph is exact: only such a graph
/// says what each node computes, and trains.
void expect_training_step(const ScheduleFile& file, const std::string& name);

/// Likewise, unless it is a training step or a forward pass alone.
void expect_step(const ScheduleFile& file, const std::string& name);

/// Throws InputError, with the place of the model, unless the schedule is about the model with this
/// SHA-256.
void expect_model_of(const ScheduleFile& file, const std::string& sha256, const std::string& place);

/// Throws InputError, with the place of the model, unless the order of the schedule's nodes is
/// legal for its model. A file knows its edges and lists of parameters only; the formulas ask for
/// more.
void expect_order_of(const ScheduleFile& file, const Model& model, const std::string& place);

/// The kernel calls of the model that the schedule is about, with its backward pass or without one,
/// by its text, in the order of the schedule. Throws InputError for another model, for an order
/// that is not legal for it, and for a model that the kernels cannot compute.
TrainingStep load_step(const NamedText& model, const ScheduleFile& file);
/// The same by its name or file.
TrainingStep load_step(const std::string& model, const ScheduleFile& file);

/// The same without the copies of the schedule, and in the order of the model's list; nothing if
/// the schedule has none.
std::optional<TrainingStep> load_step_without_copies(const NamedText& model,
                                                     const ScheduleFile& file);

/// The model that a schedule was solved for, by its text, in the order of the schedule. Throws
/// InputError for another one, and for an order that is not legal for it.
Model load_scheduled_model(const NamedText& model, const ScheduleFile& file);

/// The platform of a schedule, by its name or path, if that is there and still has the digest that
/// the schedule states.
std::optional<Platform> find_platform(const PlatformInfo& stated);

/// The model of a schedule, by its name or path and in the order of the schedule, if that is there
/// and still has the digest that the schedule states.
std::optional<Model> find_model(const ScheduleFile& file);

/// Prices the moves of a placed schedule, if its platform is found.
void price_moves(ScheduleFile& file);

}  // namespace poet
