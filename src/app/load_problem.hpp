#pragma once

#include <optional>
#include <string>

#include "app/options.hpp"
#include "base/input_errors.hpp"
#include "poet/error.hpp"
#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/problem.hpp"
#include "poet/schedule_file.hpp"
#include "poet/solve.hpp"
#include "poet/units.hpp"

namespace poet::cli {

/// A value's error, or each of a file, with the option that it came from.
template <typename Function>
auto in_option(const std::string& option, Function f) {
  try {
    return f();
  } catch (const InputError& error) {
    throw in_place(option, error);
  }
}

/// Throws InputError with the hint where an option that is needed is missing.
void require_option(const std::string& value, const char* option, const char* hint);

/// Throws InputError, naming the option, where its file could not be written. An empty path is
/// fine.
void check_destination(const char* option, const std::string& path);
/// Likewise for a folder, which need not be there yet, nor the one that it is in.
void check_folder(const char* option, const std::string& path);

/// A model, and what supplies its costs.
struct Inputs {
  Model model;
  std::optional<Platform> platform;

  const Platform* platform_or_null() const { return platform ? &*platform : nullptr; }
};

/// Loads both; the model stands at `model_option` of the command line. Fills in `info` with what it
/// has read.
Inputs load_inputs(const Options& options, const char* model_option, ProblemInfo& info);

/// The platform of a schedule, by its name or path, if that is there and still has the digest that
/// the schedule states.
std::optional<Platform> find_platform(const PlatformInfo& stated);

/// Prices the moves of a placed schedule, if its platform is found.
void price_moves(ScheduleFile& file);

/// A model whose tensors have this alignment. Throws InputError unless that is a power of two, and
/// the usual one if the graph is not exact.
Model with_alignment(Model model, Bytes alignment);

/// Says on stderr, once, which tensor with two users makes POET's chain no training step; nothing
/// if there is none.
void note_about_chain(const Model& model);

/// Throws InputError, with the name of the command's argument, if more than one of the argument,
/// the model and the platform is stdin.
void check_one_stdin(const Options& options, const char* argument);

/// The graph with its costs, those of pages only where any schedule may page; `option` is named
/// where the model needs a platform and has none.
Graph make_costs(const Model& model, const std::optional<Platform>& platform,
                 double mem_power_scale, bool paging, const char* option);

/// What the options for transfers and secondary storage say of the limits of a model's schedules;
/// empty texts are options that are not there. Throws InputError if transfers are to be charged and
/// no platform says how long they take.
Limits paging_limits(const Model& model, const Platform* platform, const std::string& paging_time,
                     const std::string& storage_budget, const std::string& page_out_budget);

/// The budgets as the command line has them.
struct Budgets {
  RamBudget ram;
  RuntimeBudget runtime;
};

/// Throws InputError if --model or a budget is missing, or if a budget cannot be read.
Budgets read_budgets(const Options& options);

/// The limits of the command line, with a RAM budget of 0.
Limits limits_but_ram(const Options& options, const Inputs& inputs, const RuntimeBudget& runtime,
                      const Baseline& base);

/// The RAM budget in bytes; `smallest` is what `min` stands for, if that is known.
Bytes ram_bytes(const RamBudget& budget, const Baseline& base, std::optional<Bytes> smallest,
                const Inputs& inputs);

/// What an exported model states about where its graph came from.
ProblemOrigin origin_of(const Inputs& inputs, const Options& options);

/// A name as the name of a file: it stays in its directory, whatever it says.
std::string file_stem(std::string name);

}  // namespace poet::cli
