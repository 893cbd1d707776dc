// The command `advise`: the changes of docs/infeasible.md, tried. Each is solved for a short time
// with the budgets of the question, in bytes of the model as it is; `chip` is what each change
// leaves. A line says what is proven and what was only found, so that nobody gives up a network
// because a search was short.

#include <spdlog/spdlog.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "app/command.hpp"
#include "app/load_subject.hpp"
#include "app/question_options.hpp"
#include "app/terminal/deliver.hpp"
#include "app/terminal/signals.hpp"
#include "base/text/figures.hpp"
#include "base/text/printable.hpp"
#include "formats/model_changes.hpp"
#include "model/training_arrays.hpp"
#include "poet/error.hpp"
#include "poet/suggest_schedule.hpp"
#include "report/fields.hpp"

namespace poet::cli {
namespace {

constexpr const char* kAdviseHelp =
    R"(Tries what makes a training step smaller: one sample at a time, masks, frozen norms, fewer
layers that train, weights of one byte, a smaller input, gradients that read bytes, another order
of the nodes, more time, paging and storage if they are limited. What the model has already is left
out. Each line has the RAM of keeping everything, and what a short solve finds within the budgets:
the energy of a step and how much of it is proven, or that nothing fits.

Exit status:
  0                               something fits
  2                               bad usage or input
  3                               nothing that was tried fits
  130                             interrupted

Example:
  $ poet-solve advise --model ds_cnn --platform m4 --ram-budget 80K --runtime-budget 2)";

/// One line of the table: a model with its question.
struct Trial {
  std::string what;
  std::string text;
  Question question;
  ModelSettings settings;
};

std::string verdict(const Answer& answer) {
  if (answer.file) {
    const Summary& s = answer.file->summary;
    return fmt::format("{}, {} of RAM; {}", format_joules(s.energy_joules),
                       format_bytes(s.peak_ram_bytes), gap_text(s.gap, s.gap_extra));
  }
  if (answer.result.status == Status::infeasible) return "does not fit, which is proven";
  return "nothing was found in a short solve, and nothing is proven";
}

/// Whether the RAM budget holds parameters as well, so that smaller ones leave more for tensors.
bool holds_parameters(const Question& question) {
  return question.count_parameters || std::holds_alternative<NamedRam>(question.ram);
}

std::vector<Trial> trials_of(const Trial& as_it_is, const std::string& source, Backward backward) {
  std::vector<Trial> trials{as_it_is};
  const Question& question = as_it_is.question;
  const auto add = [&](std::string what) -> Trial& {
    trials.push_back(as_it_is);
    trials.back().what = std::move(what);
    return trials.back();
  };
  if (as_it_is.settings.batch_size > 1) add("one sample in a batch").settings.batch_size = 1;
  for (ModelChange& change : model_changes(as_it_is.text, source)) {
    if (change.of_parameters && !holds_parameters(question)) continue;
    add(std::move(change.what)).text = std::move(change.text);
  }
  if (backward == Backward::exact) {
    add("gradients read bytes (--copies int8)").question.settings.copies = CopyChoice::int8;
  }
  add("another order of the nodes (--order search)").question.settings.order = OrderKind::search;
  if (question.techniques != kBothTechniques || question.storage != StorageBudgets{}) {
    Question& free = add("paging and recomputation without limits").question;
    free.techniques = kBothTechniques;
    free.storage = {};
  }
  if (const Ratio* const time = std::get_if<Ratio>(&*question.runtime)) {
    add("twice the time").question.runtime = Ratio{2 * time->value};
  }
  return trials;
}

/// Throws InputError if the change does not suit the model.
Subject subject_of(const Trial& trial, const std::optional<Platform>& platform,
                   const std::string& source) {
  Model model = with_training(
      parse_model(trial.text, source, trial.settings.batch_size, trial.settings.backward));
  return priced(with_alignment(std::move(model), trial.settings.alignment), platform,
                trial.question);
}

/// What training keeps for the layers that take the most: a layer to freeze has a name.
std::string largest_trained(const Subject& subject) {
  std::vector<std::pair<Bytes, std::string>> layers;
  Bytes all = 0;
  for (const Parameters& each : subject.model.parameters) {
    if (!each.is_trained || each.is_state) continue;
    const KeptSizes sizes = kept_sizes(each, subject.model, subject.platform_or_null());
    layers.emplace_back(sizes.parameters + sizes.gradients + sizes.optimizer, each.name);
    all += layers.back().first;
  }
  if (layers.empty()) return "";
  std::ranges::stable_sort(layers, std::greater{}, [](const auto& layer) { return layer.first; });
  std::string text = "what trains keeps " + format_bytes(all) + " beside tensors, most of it for";
  for (std::size_t i = 0; i < std::min<std::size_t>(layers.size(), 3); ++i) {
    text += fmt::format("{} {} ({})", i == 0 ? "" : ",", printable(layers[i].second),
                        format_bytes(layers[i].first));
  }
  return text + "\n";
}

/// The line of a trial; nothing if the change does not suit the model. `fits` if a schedule does.
std::optional<std::string> line_of(const Trial& trial, const std::optional<Platform>& platform,
                                   const std::string& source, bool& fits) {
  std::optional<Subject> subject;
  try {
    subject = subject_of(trial, platform, source);
  } catch (const InputError&) {
    return std::nullopt;
  }
  const AnswerOptions options{.suggest = suggest_schedule,
                              .interrupted = [] { return interrupted(); }};
  const Answer answer = poet::answer(*subject, resolve(*subject, trial.question, options), options);
  fits = fits || answer.file.has_value();
  return fmt::format("{:<50}{:>12}   {}\n", trial.what, format_bytes(subject->base.peak_ram_bytes),
                     verdict(answer));
}

ExitCode advise(const QuestionArguments& asked, Session& session) {
  const Question question = stated_question(asked);
  const NamedText text = model_text(asked.model.network, asked.model.model);
  std::optional<Platform> platform;
  if (!asked.platform.empty()) {
    platform = with_place(
        "--platform", [&] { return load_platform(asked.platform + asked.model.platform_sizes); });
    session.problem.platform = platform_info(*platform);
  }
  Trial as_it_is{"none", text.text, question, asked.model.settings};
  const Subject subject =
      with_place("--model", [&] { return subject_of(as_it_is, platform, text.place); });
  session.problem.model = model_info(subject);
  check_budgets(question, subject);
  const bool is_chip = std::holds_alternative<NamedRam>(question.ram);
  if (is_smallest(question.ram)) throw InputError("--ram-budget", "found min; expected a size");
  if (!is_chip) as_it_is.question.ram = resolve(question.ram, subject.base, {});
  catch_interrupts();
  bool fits = false;
  std::string table =
      fmt::format("{:<50}{:>12}   {}\n", "change", "all kept", "within the budgets");
  for (const Trial& trial : trials_of(as_it_is, text.place, subject.model.backward)) {
    if (interrupted()) break;
    if (const auto line = line_of(trial, platform, text.place, fits)) table += *line;
  }
  table += largest_trained(subject);
  const ExitCode code = interrupted() ? ExitCode::interrupted
                        : fits        ? ExitCode::ok
                                      : ExitCode::infeasible;
  return deliver(table, "", code);
}

Run add_advise(CLI::App& app) {
  const auto asked = std::make_shared<QuestionArguments>();
  // Short solves: a change is looked at, and not answered.
  asked->question.settings.effort = Effort::fast;
  asked->question.settings.time_limit_seconds = 10;
  add_budget_options(app, *asked);
  add_network_options(app, asked->model.network, "Of an ONNX network",
                      &asked->model.platform_sizes);
  add_model_options(app, asked->model.settings, kWhatToSolve);
  OptionGroup(app, kHowHard)
      .number("--time-limit-s", asked->question.settings.time_limit_seconds, "S",
              Range<double>{.min = 0.1, .expected = "seconds of at least 0.1"},
              "wall clock of each change, in seconds");
  return [asked](Session& session) { return advise(*asked, session); };
}

}  // namespace

extern const Command kAdvise{
    .name = "advise",
    .summary = "try what makes a training step fit: batch, masks, frozen layers, order, time",
    .footer = kAdviseHelp,
    .add = add_advise};

}  // namespace poet::cli
