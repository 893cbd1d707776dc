#include "app/load_problem.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "app/onnx_model.hpp"
#include "base/files/files.hpp"
#include "base/text/printable.hpp"
#include "report/fields.hpp"
#include "report/summary.hpp"

namespace poet::cli {

void require_option(const std::string& value, const char* option, const char* hint) {
  if (value.empty()) throw InputError(option, fmt::format("missing; {}", hint));
}

void check_destination(const char* option, const std::string& path) {
  if (path.empty()) return;
  in_option(option, [&] {
    check_writable(path);
    return 0;
  });
}

void check_folder(const char* option, const std::string& path) {
  if (path.empty()) return;
  // What is missing of the path will be created in the last folder that is there.
  std::error_code error;
  std::filesystem::path there = std::filesystem::absolute(path, error);
  while (!std::filesystem::exists(there, error) && there.has_relative_path()) {
    there = there.parent_path();
  }
  if (!std::filesystem::is_directory(there, error)) {
    throw InputError(option,
                     fmt::format("{}: '{}' is no directory; expected one", path, there.string()));
  }
  if (::access(there.c_str(), W_OK) != 0) {
    throw InputError(option, fmt::format("{}: cannot write in '{}': {}", path, there.string(),
                                         std::strerror(errno)));
  }
}

Model with_alignment(Model model, Bytes alignment) {
  if ((alignment & (alignment - 1)) != 0) {
    throw InputError("--alignment", fmt::format("found {}, expected a power of two", alignment));
  }
  if (alignment != kUsualAlignment && model.backward != Backward::exact) {
    throw InputError("--alignment",
                     fmt::format("found {}, but only the tensors of exact graphs are rounded; "
                                 "expected --backward exact, or no such option",
                                 alignment));
  }
  model.alignment = alignment;
  return model;
}

void note_about_chain(const Model& model) {
  if (model.backward != Backward::poet_chain) return;
  std::vector<int> users(model.nodes.size());
  for (const ModelNode& node : model.nodes) {
    if (node.backward) break;
    for (const int input : node.inputs) ++users[input];
  }
  const auto shared = std::find_if(users.begin(), users.end(), [](int count) { return count > 1; });
  if (shared == users.end()) return;
  spdlog::info(
      "{}: POET's backward chain does not add up the gradients of '{}', which {} layers read; "
      "--backward exact has the training step as it is computed",
      printable(model.name), printable(model.nodes[shared - users.begin()].name), *shared);
}

Inputs load_inputs(const Options& options, const char* model_option, ProblemInfo& info) {
  if (options.model == "-" && options.platform == "-") {
    throw InputError("--platform", "found - for both model and platform; stdin can be only one");
  }
  Inputs inputs;
  refuse_network_options(options);
  inputs.model = in_option(model_option, [&] {
    const std::optional<Backward> backward = value_of<Backward>(options.backward);
    if (!is_onnx(options.model)) return load_model(options.model, options.batch_size, backward);
    return parse_model(imported_model(options.network, options.model), options.model,
                       options.batch_size, backward);
  });
  inputs.model = with_alignment(std::move(inputs.model), options.alignment);
  info.model = model_info(inputs.model);
  if (!options.platform.empty()) {
    inputs.platform = in_option("--platform", [&] { return load_platform(options.platform); });
    info.platform = platform_info(*inputs.platform);
  }
  return inputs;
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

void check_one_stdin(const Options& options, const char* argument) {
  const std::array all{options.input_file, options.model, options.platform};
  if (std::count(all.begin(), all.end(), "-") > 1) {
    throw InputError(argument, "found - twice; stdin can be only one of the files");
  }
}

Graph make_costs(const Model& model, const std::optional<Platform>& platform,
                 double mem_power_scale, bool paging, const char* option) {
  if (!platform && model.backward != Backward::explicit_nodes) {
    throw InputError(option,
                     "missing; expected a platform's name or file (--list-platforms): this "
                     "model has no measured costs");
  }
  return cost_graph(model, platform ? &*platform : nullptr, mem_power_scale, paging);
}

namespace {

std::optional<Bytes> parse_size(const char* option, const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::optional<Bytes> bytes = parse_bytes(text);
  if (bytes) return bytes;
  throw InputError(
      option,
      fmt::format("found '{}', expected a size from 0 to 2^53 bytes such as 737719, 256K or 1.5MB",
                  printable(text)));
}

bool states_times(const ModelNode& node) {
  return node.measured && (node.measured->page_in_seconds || node.measured->page_out_seconds);
}

}  // namespace

Limits paging_limits(const Model& model, const Platform* platform, const std::string& paging_time,
                     const std::string& storage_budget, const std::string& page_out_budget) {
  const PagingTime usual =
      model.backward == Backward::exact ? PagingTime::blocking : PagingTime::free;
  const bool has_times =
      platform != nullptr || std::any_of(model.nodes.begin(), model.nodes.end(), states_times);
  if (!has_times && !paging_time.empty() && paging_time != name_of(PagingTime::free)) {
    throw InputError(
        "--paging-time",
        fmt::format("found '{}', but a model without a platform does not say how long "
                    "transfers take; expected a platform, nodes that state it, or free",
                    paging_time));
  }
  std::optional<Bytes> storage = parse_size("--storage-budget", storage_budget);
  if (!storage && platform != nullptr) storage = platform->storage_bytes;
  return {.paging_time = value_of<PagingTime>(paging_time).value_or(usual),
          .storage_budget_bytes = storage,
          .page_out_budget_bytes = parse_size("--page-out-budget", page_out_budget)};
}

namespace {

void check_required(const Options& options) {
  require_option(options.model, "--model", "expected a model's name or file (--list-models)");
  if (options.settings.objective != Objective::ram) {
    require_option(options.ram_budget, "--ram-budget",
                   "expected a size such as 737719, 60%, min or chip");
  }
  if (options.settings.objective != Objective::runtime) {
    require_option(options.runtime_budget, "--runtime-budget",
                   "expected a multiple such as 1.5 or a time such as 12.5s");
  }
}

RamBudget stated_ram(const Options& options) {
  if (options.ram_budget.empty()) return NamedRam::smallest;
  const RamBudget ram =
      in_option("--ram-budget", [&] { return parse_ram_budget(options.ram_budget); });
  if (options.settings.objective == Objective::ram && !is_smallest(ram)) {
    throw InputError("--ram-budget",
                     fmt::format("found '{}' with --objective ram, which looks for the smallest; "
                                 "expected min, or no such option",
                                 options.ram_budget));
  }
  return ram;
}

}  // namespace

Budgets read_budgets(const Options& options) {
  check_required(options);
  Budgets budgets{.ram = stated_ram(options), .runtime = {}};
  if (options.runtime_budget.empty()) return budgets;
  budgets.runtime =
      in_option("--runtime-budget", [&] { return parse_runtime_budget(options.runtime_budget); });
  return budgets;
}

Limits limits_but_ram(const Options& options, const Inputs& inputs, const RuntimeBudget& runtime,
                      const Baseline& base) {
  Limits limits = paging_limits(inputs.model, inputs.platform_or_null(), options.paging_time,
                                options.storage_budget, options.page_out_budget);
  limits.runtime_budget_seconds =
      in_option("--runtime-budget", [&] { return resolve(runtime, base); });
  limits.techniques.paging = options.paging;
  limits.techniques.remat = options.remat;
  return limits;
}

Bytes ram_bytes(const RamBudget& budget, const Baseline& base, std::optional<Bytes> smallest,
                const Inputs& inputs) {
  return in_option("--ram-budget", [&] {
    return resolve(
        budget, base,
        {.smallest = smallest, .chip = chip_ram_bytes(inputs.model, inputs.platform_or_null())});
  });
}

ProblemOrigin origin_of(const Inputs& inputs, const Options& options) {
  const auto named = [](const auto& source) {
    return fmt::format("{}, sha256 {}", source.name, source.sha256);
  };
  return {.model = named(inputs.model),
          .platform = inputs.platform ? named(*inputs.platform) : std::string(),
          .batch_size = options.batch_size,
          .mem_power_scale = options.settings.mem_power_scale};
}

std::string file_stem(std::string name) {
  for (char& c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '/' || c == '\\' || byte < 0x20 || byte == 0x7F) c = '_';
  }
  if (name.starts_with('.')) name.front() = '_';
  return name;
}

}  // namespace poet::cli
