// The options that are a question, for every command that asks one. Values are parsed where the
// option is read, so that an error names the option, and so that no command carries texts that it
// has to parse later. Lists of `sweep` are the exception: a journal keeps them as typed.
//
// The words of a description count: completions/read_help.awk finds in them what a value may be,
// such as `both, remat, paging, none`.

#include "app/question_options.hpp"

#include <charconv>
#include <cmath>
#include <string_view>

#include "formats/platform_names.hpp"
#include "model/fields.hpp"
#include "poet/error.hpp"
#include "poet/units.hpp"
#include "report/fields.hpp"

namespace poet::cli {
namespace {

template <typename Number>
requires std::is_arithmetic_v<Number>
void add(CLI::App& app, const SettingOption<Number>& option, Number& value) {
  OptionGroup(app, option.heading)
      .number(option.name, value, option.unit, option.range, option.usage);
}

/// One overload for each type of setting: the table of options has what is asked for, the type
/// decides how it is read.
void add(CLI::App& app, const SettingOption<Bytes>& option, Bytes& value) {
  app.add_option_function<std::string>(
         option.name, [&value](const std::string& given) { value = *parse_bytes(given); },
         option.usage)
      ->group(option.heading)
      ->check([expected = option.range.expected](const std::string& text) {
        return parse_bytes(text)
                   ? std::string()
                   : fmt::format("found '{}'; expected {}", printable(text), expected);
      })
      ->type_name(option.unit)
      ->default_str(format_bytes(value));
}

template <typename Word>
requires std::is_enum_v<Word>
void add(CLI::App& app, const SettingOption<Word>& option, Word& value) {
  OptionGroup(app, option.heading).choice(option.name, value, option.usage);
}

void add(CLI::App& app, const SettingOption<SolverFeatures>& option, SolverFeatures& features) {
  app.add_option_function<std::vector<std::string>>(
         option.name,
         [&features, name = option.name](const std::vector<std::string>& given) {
           with_place(name, [&] {
             for (const std::string& feature : given) disable(features, feature);
           });
         },
         option.usage)
      ->delimiter(',')
      ->group(option.heading);
}

/// A switch that is on unless `off` is given; both cannot be.
void add_switch(CLI::App& app, const char* on, const char* off, bool& value,
                const std::string& what) {
  CLI::Option* allow = app.add_flag_callback(
      on, [&value] { value = true; }, "allow " + what + " (the default)");
  allow->group(kWhatToSolve);
  app.add_flag_callback(
         off, [&value] { value = false; }, "forbid " + what)
      ->group(kWhatToSolve)
      ->excludes(allow);
}

std::int64_t positive_number(std::string_view text, const std::string& whole) {
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  if (error == std::errc{} && stop == text.data() + text.size() && value > 0 && value <= kMost) {
    return value;
  }
  throw InputError(fmt::format("found '{}'; expected whole numbers from 1 to 2^40 in '{}'",
                               printable(text), printable(whole)));
}

void add_custom_op(std::map<std::string, std::int64_t>& ops, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InputError(fmt::format("found '{}'; expected OP=FLOPS", printable(text)));
  }
  ops[text.substr(0, equals)] = positive_number(std::string_view(text).substr(equals + 1), text);
}

// Without a name the shape is of the first input, which is the empty key until the network is
// known.
void add_shape(std::map<std::string, Shape>& shapes, const std::string& text) {
  const std::size_t equals = text.find('=');
  const bool has_name = equals != std::string::npos;
  Shape shape;
  std::string_view rest = std::string_view(text).substr(has_name ? equals + 1 : 0);
  while (true) {
    const std::size_t comma = rest.find(',');
    shape.push_back(positive_number(rest.substr(0, comma), text));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  shapes[has_name ? text.substr(0, equals) : ""] = std::move(shape);
}

void add_number(std::map<std::string, double>& numbers, const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string_view rest =
      equals == std::string::npos ? std::string_view() : std::string_view(text).substr(equals + 1);
  double value = 0;
  const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (equals == std::string::npos || equals == 0 || error != std::errc{} ||
      stop != rest.data() + rest.size() || !std::isfinite(value)) {
    throw InputError(fmt::format("found '{}'; expected NAME=VALUE with a number such as 12 or 0.5",
                                 printable(text)));
  }
  numbers[text.substr(0, equals)] = value;
}

}  // namespace

void add_model_options(CLI::App& app, ModelSettings& settings, const char* heading) {
  OptionGroup group(app, heading);
  group.number<std::int64_t>("--batch-size", settings.batch_size, "N",
                             {.min = 1, .expected = "at least 1"},
                             "batch size of a model with a batch dimension");
  group.choice(
      "--backward", settings.backward,
      "the backward pass of a model of layers: the training step as it is computed, POET's "
      "chain, or none, for inference; the default is what its file says",
      {std::string(name_of(Backward::exact)), std::string(name_of(Backward::poet_chain)),
       std::string(name_of(Backward::none))});
  group.number<Bytes>(
      "--alignment", settings.alignment, "BYTES",
      {.min = 1, .max = 4096, .expected = "from 1 to 4096"},
      "round the tensors of an exact graph up to a multiple of this: 4, 8, 16, 32 or another "
      "power of two");
}

void add_network_options(CLI::App& app, ImportRequest& network, const char* heading,
                         std::string* platform_sizes) {
  OptionGroup group(app, heading);
  group
      .text("--loss", network.loss, "LOSS",
            "the loss of an ONNX network: cross_entropy or mse; if not given, cross_entropy for "
            "an output of samples and classes, else mse")
      ->check(one_of({"cross_entropy", "mse"}));
  group.text("--trainable", network.trainable, "WHICH",
             "the layers of an ONNX network that train: all (the default), last:N, or a pattern of "
             "names such as 'head.*', or of parameters such as '*.bias'");
  group.choice(
      "--frozen-weights", network.frozen_weights,
      "the weights of frozen convolutions and dense layers of an ONNX network; int8: bytes, "
      "with a scale for each output channel");
  group.choice(
      "--frozen-parameters", network.frozen_parameters,
      "the parameters of frozen layers of an ONNX network that gradients pass; copied: into RAM "
      "before they are used");
  group.repeated(
      "--custom", [&network](const std::string& text) { add_custom_op(network.custom, text); },
      "OP=FLOPS",
      "a layer of the op custom for each node of an ONNX op, with these FLOPs for an "
      "element of its output");
  group.repeated(
      "--shape", [&network](const std::string& text) { add_shape(network.shapes, text); },
      "[NAME=]N,N...",
      "the extents of an input of an ONNX network, such as 1,3,224,224; without a name, the "
      "first input's");
  const auto set = [&network, platform_sizes](const std::string& text) {
    const bool is_size =
        platform_sizes != nullptr && is_platform_size(text.substr(0, text.find('=')));
    if (is_size) {
      *platform_sizes += ":" + text;
    } else {
      add_number(network.numbers, text);
    }
  };
  const std::string of_platform =
      platform_sizes == nullptr
          ? ""
          : "; with ram, flash, reserve or storage, that size of the platform, such as ram=256K";
  group.repeated("--set", set, "NAME=VALUE",
                 "make an input of an ONNX network a constant with this number, such as the length "
                 "of a sequence or a flag for training" +
                     of_platform);
}

void add_copies_option(CLI::App& app, ModelArguments& arguments, const char* heading) {
  OptionGroup(app, heading)
      .text("--copies", arguments.copies, "off|FILE",
            "let gradients read smaller copies in the place of tensors: the copies of FILE, which "
            "is a schedule, or JSON such as {\"mode\": \"int8\", \"tensors\": [\"relu1\"]}; "
            "without, or with off, none")
      ->default_str("off");
}

/// An option whose value is a word or else a file, which `of_file` stands for. A file that is
/// called as a word is has to be given as ./int8, and so on: the words win.
template <typename Choice>
CLI::Option* add_word_or_file(CLI::App& app, const char* name, Choice& choice, Choice of_file,
                              std::string& file, const char* usage) {
  const auto take = [&choice, of_file, &file](const std::string& given) {
    choice = value_of<Choice>(given).value_or(of_file);
    file = choice == of_file ? given : std::string();
  };
  return app.add_option_function<std::string>(name, take, usage)->group(kWhatToSolve);
}

void add_copies_option(CLI::App& app, CopyChoice& choice, std::string& file) {
  add_word_or_file(
      app, "--copies", choice, CopyChoice::none, file,
      "let gradients read smaller copies in the place of tensors: exact or int8, which a search "
      "chooses, of a bit or a byte for each element; the copies of FILE, which is a schedule, or "
      "JSON such as {\"mode\": \"int8\", \"tensors\": [\"relu1\"]}; without, or with off, none. A "
      "proof is about one set of copies")
      ->type_name("off|exact|int8|FILE")
      ->default_str("off");
}

void add_technique_options(CLI::App& app, TechniqueSet& techniques) {
  add_switch(app, "--paging", "--no-paging", techniques.paging, "paging to storage");
  add_switch(app, "--remat", "--no-remat", techniques.remat, "recomputation");
}

void add_paging_options(CLI::App& app, std::optional<PagingTime>& paging_time,
                        StorageBudgets& budgets) {
  OptionGroup group(app, kWhatToSolve);
  group.choice("--paging-time", paging_time,
               "free: transfers take no time, as in POET; blocking: computing waits for them; "
               "overlapped: they run beside it, a stage takes the longer of the two. If not given: "
               "blocking for exact backward passes, else free");
  for (const BudgetOption& option : kBudgetOptions) {
    group.parsed(option.name, budgets.*option.member, "SIZE", parse_size, option.usage);
  }
}

void add_order_option(CLI::App& app, OrderKind& kind, std::string& file) {
  add_word_or_file(
      app, "--order", kind, OrderKind::stated, file,
      "the order in which the nodes are computed for the first time: given, as the model lists "
      "them; search, an order that a search finds; early-updates, with each update of parameters "
      "as soon as its gradient is there; or the order of FILE, a schedule or a JSON list of all "
      "nodes by index or name. A proof is about one order")
      ->type_name("given|search|early-updates|FILE")
      ->default_str("given");
}

void add_order_option(CLI::App& app, QuestionArguments& arguments) {
  add_order_option(app, arguments.question.settings.order, arguments.order_file);
}

void add_budget_options(CLI::App& app, QuestionArguments& arguments) {
  OptionGroup group(app, kWhatToSolve);
  group.text("--model", arguments.model.model, "NAME|FILE",
             "built-in model (--list-models), model file, or - for stdin");
  group.text("--platform", arguments.platform, "NAME|FILE",
             "built-in platform (--list-platforms), platform file, or - for stdin; not needed "
             "for a model with measured costs");
  group.parsed(
      "--ram-budget", arguments.ram, "SIZE", parse_ram_budget,
      "bytes, or with a suffix (K M G as in ls -h, KiB MiB GiB, kB MB GB); 60% or 0.6 of the "
      "peak RAM without recomputation and paging; min: the smallest that works; chip: all "
      "that the platform has left for tensors");
  group.parsed("--runtime-budget", arguments.question.runtime, "T", parse_runtime_budget,
               "a multiple of the time to compute every node once (1.5 or 1.5x), or absolute "
               "(12.5s, 800ms); --paging-time says whether transfers count");
  add_technique_options(app, arguments.question.techniques);
}

/// What another solver found is not searched for. But paging has to cost what it cost in the
/// exported model, and the gap decides which schedule is called optimal.
void add_settings_without_search(CLI::App& app, SolveSettings& settings) {
  visit_setting_options([&](const auto& option) {
    const std::string_view name = option.name;
    if (name == "--mem-power-scale" || name == "--gap") add(app, option, settings.*option.member);
  });
}

void add_setting_options(CLI::App& app, SolveSettings& settings, bool& require_optimal) {
  visit_setting_options([&](const auto& option) { add(app, option, settings.*option.member); });
  OptionGroup(app, kHowHard)
      .flag("--require-optimal", require_optimal,
            "exit 5 if a schedule is not proven within the gap (it is still written)");
}

/// Runs after the parse and not while it is done: --effort proof must not overwrite a --gap that
/// comes before it on the command line.
std::vector<std::string> apply_effort(const CLI::App& app, SolveSettings& settings) {
  const bool proof = settings.effort == Effort::proof;
  if (proof && app.count("--gap") == 0) settings.gap = 0;
  if (proof && app.count("--time-limit-s") == 0) settings.time_limit_seconds = 0;
  std::vector<std::string> changes;
  visit_setting_options([&](const auto& option) {
    if (option.may_change && (proof || app.count(option.name) > 0)) {
      changes.emplace_back(option.name);
    }
  });
  return changes;
}

}  // namespace poet::cli
