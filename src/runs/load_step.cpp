#include "runs/load_step.hpp"

#include <fmt/format.h>

#include "base/input_errors.hpp"
#include "base/sha256.hpp"
#include "base/text/printable.hpp"
#include "formats/named_text.hpp"
#include "formats/read_inputs.hpp"
#include "poet/error.hpp"
#include "report/fields.hpp"
#include "report/summary.hpp"

namespace poet {

void expect_training_step(const ScheduleFile& file, const std::string& name) {
  if (file.model.backward == name_of(Backward::exact)) return;
  throw InputError(
      name, fmt::format("found a graph with the backward pass '{}', which is not a training step; "
                        "expected a schedule that was solved with --backward exact",
                        printable(file.model.backward)));
}

void expect_model_of(const ScheduleFile& file, const std::string& sha256,
                     const std::string& place) {
  if (sha256 == file.model.sha256) return;
  throw InputError(place,
                   fmt::format("found a model with the SHA-256 {:.12}...; expected {:.12}..., "
                               "that of the model '{}' which the schedule is about",
                               sha256, printable(file.model.sha256), printable(file.model.name)));
}

TrainingStep load_step(const std::string& model, const ScheduleFile& file) {
  const NamedText found = find_text(model, "model", embedded_models());
  expect_model_of(file, sha256_hex(found.text), found.place);
  InputErrors errors;
  ModelSpec spec = read_model(found.text, found.place, errors);
  errors.throw_if_any();
  ask_for_backward(spec, Backward::exact);
  static_cast<void>(build_model(spec, file.model.batch_size, errors));
  errors.throw_if_any();
  return with_place(found.place, [&] { return bind_step(spec, file.model.batch_size); });
}

std::optional<Platform> find_platform(const PlatformInfo& stated) {
  if (stated.source == "-") return std::nullopt;
  try {
    Platform platform = load_platform(stated.source == "built-in" ? stated.name : stated.source);
    if (platform.sha256 == stated.sha256) return platform;
  } catch (const InputError&) {
    // The file may be gone.
  }
  return std::nullopt;
}

void price_moves(ScheduleFile& file) {
  if (!file.arena.moved_bytes || !file.platform) return;
  if (const auto platform = find_platform(*file.platform)) price_moves(file.arena, *platform);
}

}  // namespace poet
