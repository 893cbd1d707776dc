// From names and paths of the command line to models, platforms and questions. The library reads
// text and knows no options, so errors get the name of their option here (with_place). `info` is
// filled in step by step: the document of a failed run states what was read before the failure.

#include "app/load_subject.hpp"

#include <spdlog/spdlog.h>

#include <set>

#include <fmt/format.h>

#include "base/files/files.hpp"
#include "base/text/printable.hpp"
#include "formats/read_copies.hpp"
#include "formats/write_inputs.hpp"
#include "import/import_process.hpp"
#include "model/model_spec.hpp"
#include "poet/error.hpp"
#include "question/choose_copies.hpp"
#include "report/fields.hpp"
#include "report/summary.hpp"
#include "runs/load_grid.hpp"

namespace poet::cli {
namespace {

/// A file called `off` has to be given as ./off.
constexpr std::string_view kNoCopies = "off";

bool is_onnx(const std::string& path) {
  return path.ends_with(".onnx");
}

/// Throws InputError for options about ONNX files beside another model.
/// An option that is ignored in silence would be taken for granted.
void refuse_network_options(const ImportRequest& given, const std::string& model) {
  const char* const option = !given.loss.empty()                              ? "--loss"
                             : !given.trainable.empty()                       ? "--trainable"
                             : given.frozen_weights != FrozenWeights::float32 ? "--frozen-weights"
                             : given.frozen_parameters != FrozenParameters::in_place
                                 ? "--frozen-parameters"
                             : !given.custom.empty()  ? "--custom"
                             : !given.shapes.empty()  ? "--shape"
                             : !given.numbers.empty() ? "--set"
                                                      : nullptr;
  if (option == nullptr || is_onnx(model)) return;
  throw InputError(option, fmt::format("found with the model '{}', whose file says so itself; "
                                       "expected an ONNX file (.onnx), or no such option",
                                       printable(model)));
}

}  // namespace

/// In a process of its own, since libonnx crashes on some files.
ImportedText imported_network(const ImportRequest& request, const std::string& path) {
  ImportedText imported = import_file(path, request, layers_json);
  for (const std::string& note : imported.notes) spdlog::warn("{}: {}", shown_source(path), note);
  return imported;
}

std::string imported_model(const ImportRequest& request, const std::string& path) {
  return imported_network(request, path).document;
}

NamedText model_text(const ImportRequest& request, const std::string& model) {
  refuse_network_options(request, model);
  return with_place("--model", [&] {
    if (!is_onnx(model)) return find_text(model, "model", embedded_models());
    return NamedText{
        .text = imported_model(request, model), .source = model, .place = shown_source(model)};
  });
}

/// An ONNX file becomes the text of a model file before it is read, the text that `import` with the
/// same options writes: both ways give the same model, with the same digest.
Model load_model(const ModelArguments& arguments, const char* option) {
  refuse_network_options(arguments.network, arguments.model);
  Model model = with_place(option, [&] {
    if (!is_onnx(arguments.model)) {
      return poet::load_model(arguments.model, arguments.settings.batch_size,
                              arguments.settings.backward);
    }
    return with_training(parse_model(imported_model(arguments.network, arguments.model),
                                     arguments.model, arguments.settings.batch_size,
                                     arguments.settings.backward));
  });
  model = with_place("--alignment", [&] {
    return with_alignment(std::move(model), arguments.settings.alignment);
  });
  if (arguments.copies.empty() || arguments.copies == kNoCopies) return model;
  return with_place("--copies", [&] {
    return with_copies(model, read_copies(read_file(arguments.copies), arguments.copies));
  });
}

Inputs load_inputs(const ModelArguments& model, const std::string& platform, ProblemInfo& info,
                   const char* model_option) {
  if (model.model == "-" && platform == "-") {
    throw InputError("--platform", "found - for both model and platform; stdin can be only one");
  }
  Inputs inputs{.model = load_model(model, model_option)};
  info.model = model_info(inputs.model);
  if (platform.empty() && !model.platform_sizes.empty()) {
    throw InputError("--set", fmt::format("found {} without --platform",
                                          printable(model.platform_sizes.substr(1))));
  }
  if (!platform.empty()) {
    inputs.platform =
        with_place("--platform", [&] { return load_platform(platform + model.platform_sizes); });
    info.platform = platform_info(*inputs.platform);
  }
  return inputs;
}

/// The order comes last, as its file may name the nodes of the model.
Subject load_subject(const QuestionArguments& arguments, ProblemInfo& info) {
  const Inputs inputs = load_inputs(arguments.model, arguments.platform, info);
  Subject subject = priced(inputs.model, inputs.platform, arguments.question);
  const std::string& order = arguments.order_file;
  if (!order.empty()) {
    subject = with_place("--order", [&] {
      const std::string text = order == kEarlyUpdatesOrder ? std::string() : read_file(order);
      return in_stated_order(subject, order, text);
    });
  }
  if (const CopyChoice copies = arguments.question.settings.copies; copies != CopyChoice::none) {
    with_place("--copies", [&] { return copy_candidates(subject.model, copy_mode(copies)); });
  }
  info.model = model_info(subject);
  info.graph_sha256 = subject.graph_sha256();
  return subject;
}

/// Which budgets may be missing depends on the objective, so the parser cannot require them: what
/// is minimised has no budget.
Question stated_question(const QuestionArguments& arguments) {
  const Question& question = arguments.question;
  const Objective objective = question.settings.objective;
  require_option(arguments.model.model, "--model",
                 "expected a model's name or file (--list-models)");
  if (!arguments.ram && objective != Objective::ram) {
    throw InputError("--ram-budget", "missing; expected a size such as 737719, 60%, min or chip");
  }
  if (!question.runtime && objective != Objective::runtime) {
    throw InputError("--runtime-budget",
                     "missing; expected a multiple such as 1.5 or a time such as 12.5s");
  }
  Question stated = question;
  stated.ram = arguments.ram.value_or(NamedRam::smallest);
  if (objective == Objective::ram && stated.settings.copies != CopyChoice::none) {
    throw InputError("--copies", "found a search with --objective ram; expected off or FILE");
  }
  if (objective == Objective::ram && !is_smallest(stated.ram)) {
    throw InputError("--ram-budget",
                     "found with --objective ram, which looks for the smallest; expected min, or "
                     "no such option");
  }
  return stated;
}

/// `min` is left out: it stands for what a search finds.
void check_budgets(const Question& question, const Subject& subject) {
  if (question.runtime) {
    with_place("--runtime-budget",
               [&] { return resolve(*question.runtime, subject.stated_base()); });
  }
  if (is_smallest(question.ram)) return;
  with_place("--ram-budget", [&] {
    return resolve(question.ram, subject.stated_base(),
                   {.chip = chip_ram_bytes(subject.model, subject.platform_or_null())});
  });
}

void note_about_chain(const Model& model) {
  const std::string note = chain_note(model);
  if (!note.empty()) spdlog::info("{}", note);
}

void note_about_chains(const std::vector<Subject>& subjects) {
  std::set<std::string> models;
  for (const Subject& subject : subjects) {
    if (models.insert(subject.model.sha256).second) note_about_chain(subject.model);
  }
}

}  // namespace poet::cli
