// A schedule names its model by a digest of the text, and only that text can be run: a model that
// was edited since may have other nodes under the same names. The order of a schedule is checked
// against the formulas of the model again, because the edges in the file do not say all that an
// order must keep (docs/order.md). A platform is looked for only to price moves, and may be gone.

#include "runs/load_step.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/input_errors.hpp"
#include "base/sha256.hpp"
#include "base/text/printable.hpp"
#include "formats/named_text.hpp"
#include "formats/read_inputs.hpp"
#include "poet/error.hpp"
#include "report/fields.hpp"
#include "report/summary.hpp"
#include "step/permute_step.hpp"

namespace poet {

void expect_training_step(const ScheduleFile& file, const std::string& name) {
  if (file.model.backward == name_of(Backward::exact)) return;
  throw InputError(
      name, fmt::format("found a graph with the backward pass '{}', which is not a training step; "
                        "expected a schedule that was solved with --backward exact",
                        printable(file.model.backward)));
}

void expect_step(const ScheduleFile& file, const std::string& name) {
  if (!is_forward_pass(file)) expect_training_step(file, name);
}

void expect_model_of(const ScheduleFile& file, const std::string& sha256,
                     const std::string& place) {
  if (sha256 == file.model.sha256) return;
  throw InputError(place,
                   fmt::format("found a model with the SHA-256 {:.12}...; expected {:.12}..., "
                               "the model '{}' which the schedule is about",
                               sha256, printable(file.model.sha256), printable(file.model.name)));
}

void expect_order_of(const ScheduleFile& file, const Model& model, const std::string& place) {
  if (file.model.order.empty()) return;
  Graph graph;  // of which names and edges alone are looked at
  for (const ModelNode& node : model.nodes) {
    graph.nodes.push_back({.name = node.name, .op = node.op, .inputs = node.inputs});
  }
  try {
    check_order(graph, precedence(model), file.model.order);
  } catch (const InputError& error) {
    throw InputError(
        place, fmt::format("the schedule's order of the nodes is not legal for this model: {}",
                           error.what()));
  }
}

TrainingStep load_step(const std::string& model, const ScheduleFile& file) {
  return load_step(find_text(model, "model", embedded_models()), file);
}

TrainingStep load_step(const NamedText& found, const ScheduleFile& file) {
  expect_model_of(file, sha256_hex(found.text), found.place);
  InputErrors errors;
  ModelSpec spec = read_model(found.text, found.place, errors);
  errors.throw_if_any();
  ask_for_backward(spec, is_forward_pass(file) ? Backward::none : Backward::exact);
  if (!has_exact_counts(spec)) {
    throw InputError(found.place,
                     "found \"backward\": \"none\" in a file of version 1, whose graph has POET's "
                     "counts and does not say what is computed; expected \"version\": 2, and a "
                     "schedule of that file");
  }
  spec.copies = file.model.copies;
  Model built = build_model(spec, file.model.batch_size, errors);
  errors.throw_if_any();
  built.source = found.place;
  built = with_training(std::move(built));
  expect_order_of(file, built, found.place);
  return with_place(found.place, [&] {
    TrainingStep step = bind_step(spec, file.model.batch_size);
    if (file.model.order.empty()) return step;
    return permuted(std::move(step), file.model.order);
  });
}

std::optional<TrainingStep> load_step_without_copies(const NamedText& model,
                                                     const ScheduleFile& file) {
  if (file.model.copies.tensors.empty()) return std::nullopt;
  ScheduleFile plain;
  plain.model = file.model;
  plain.model.copies = {};
  plain.model.order.clear();
  return load_step(model, plain);
}

/// The model has to be the very text that was solved, by its digest, with the batch size, the
/// backward pass, the alignment and the order that the file states.
Model load_scheduled_model(const NamedText& text, const ScheduleFile& file) {
  Model loaded = parse_model(text.text, text.place, file.model.batch_size,
                             value_of<Backward>(file.model.backward));
  loaded.source = text.source;
  expect_model_of(file, loaded.sha256, text.place);
  Model aligned = with_alignment(std::move(loaded), file.model.alignment);
  aligned = with_place(text.place, [&] { return with_copies(aligned, file.model.copies); });
  expect_order_of(file, aligned, text.place);
  if (file.model.order.empty()) return aligned;
  return permuted(aligned, file.model.order);
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

std::optional<Model> find_model(const ScheduleFile& file) {
  const ModelInfo& stated = file.model;
  if (stated.source == "-") return std::nullopt;
  try {
    return load_scheduled_model(find_text(stated.source == "built-in" ? stated.name : stated.source,
                                          "model", embedded_models()),
                                file);
  } catch (const InputError&) {
    return std::nullopt;  // The file may be gone.
  }
}

void price_moves(ScheduleFile& file) {
  if (!file.arena.moved_bytes || !file.platform) return;
  if (const auto platform = find_platform(*file.platform)) price_moves(file.arena, *platform);
}

}  // namespace poet
