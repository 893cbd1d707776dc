#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/load_problem.hpp"
#include "app/run_data.hpp"
#include "base/files/files.hpp"
#include "base/sha256.hpp"
#include "base/text/figures.hpp"
#include "base/text/printable.hpp"
#include "execute/run_schedule.hpp"
#include "formats/named_text.hpp"
#include "formats/read_inputs.hpp"
#include "formats/write_run.hpp"
#include "poet/error.hpp"
#include "report/fields.hpp"

namespace poet::cli {
namespace {

bool is_same_file(const std::string& path, const std::string& other) {
  std::error_code error;
  if (std::filesystem::equivalent(path, other, error)) return true;
  return std::filesystem::weakly_canonical(path, error) ==
         std::filesystem::weakly_canonical(other, error);
}

/// Pages are written over whatever the file holds.
void check_storage(const Options& options) {
  if (options.run.storage.empty()) return;
  const std::pair<const char*, std::string> others[] = {
      {"SCHEDULE", options.input_file}, {"--model", options.model}, {"--output", options.output}};
  for (const auto& [name, path] : others) {
    if (path.empty() || !is_same_file(options.run.storage, path)) continue;
    throw InputError("--storage",
                     fmt::format("found {}, the same file as {}; expected one of its own, as pages "
                                 "are written over it",
                                 shown_source(options.run.storage), name));
  }
}

void check_run_input(const Options& options) {
  check_one_stdin(options, "SCHEDULE");
  require_option(options.model, "--model", "the model that the schedule was solved for");
  check_destination("--output", options.output);
  check_storage(options);
}

/// Only an exact graph says what each node computes.
void expect_training_step(const ScheduleFile& file, const std::string& name) {
  if (file.model.backward == name_of(Backward::exact)) return;
  throw InputError(
      name, fmt::format("found a graph with the backward pass '{}', which is not a training step; "
                        "expected a schedule that was solved with --backward exact",
                        printable(file.model.backward)));
}

/// The kernel calls of the model that the schedule is about.
TrainingStep load_step(const Options& options, const ScheduleFile& file) {
  return in_option("--model", [&] {
    const NamedText found = find_text(options.model, "model", embedded_models());
    if (sha256_hex(found.text) != file.model.sha256) {
      throw InputError(found.place,
                       fmt::format("found a model with the SHA-256 {:.12}...; expected {:.12}..., "
                                   "that of the model '{}' which the schedule is about",
                                   sha256_hex(found.text), printable(file.model.sha256),
                                   printable(file.model.name)));
    }
    InputErrors errors;
    ModelSpec spec = read_model(found.text, found.place, errors);
    errors.throw_if_any();
    ask_for_backward(spec, Backward::exact);
    static_cast<void>(build_model(spec, file.model.batch_size, errors));
    errors.throw_if_any();
    try {
      return bind_step(spec, file.model.batch_size);
    } catch (const InputError& error) {
      throw InputError(found.place, error.what());
    }
  });
}

void report_run(const RunResult& result, const std::string& name) {
  for (const GradientResult& gradient : result.gradients) {
    if (gradient.is_equal) continue;
    spdlog::error("{}: the gradient of '{}' differs from that of the unscheduled step", name,
                  printable(gradient.name));
  }
  if (!result.has_equal_losses) spdlog::error("{}: the loss differs", name);
  if (!result.has_equal_parameters) spdlog::error("{}: the trained parameters differ", name);
  if (!result.equal()) return;
  const std::size_t count = result.gradients.size();
  spdlog::info("{}: {} gradient{} equal to the unscheduled step's, bit by bit; {} of RAM, {} paged",
               name, count, count == 1 ? "" : "s", format_bytes(result.arena_bytes),
               format_bytes(result.page_out_bytes + result.page_in_bytes));
}

}  // namespace

Outcome run_run(const Options& options) {
  check_run_input(options);
  const std::string name = shown_source(options.input_file);
  const ScheduleFile file = parse_schedule_file(read_file(options.input_file), options.input_file);
  expect_training_step(file, name);
  const TrainingStep step = load_step(options, file);
  const std::vector<std::string> findings = verify_schedule_file(file);
  for (const std::string& finding : findings) spdlog::error("{}: {}", name, finding);
  if (!findings.empty()) {
    spdlog::error("{}: invalid, {} finding{}; nothing was run", name, findings.size(),
                  findings.size() == 1 ? "" : "s");
    return {.code = ExitCode::requirement};
  }
  const GivenData given = read_run_data(options.run_with, step);
  const RunResult result =
      run_schedule(step, file.graph, file.program, file.model.alignment, options.run, given);
  report_run(result, name);
  return {.code = result.equal() ? ExitCode::ok : ExitCode::requirement,
          .document = run_json(file, options.run, result),
          .output = options.output};
}

}  // namespace poet::cli
