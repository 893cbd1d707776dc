// Everything of a sweep that can fail before its first solve: names, files, lists, digests, orders.
// A sweep may run for days, and a misspelt platform must not end it in the last hour. Digests of
// the files go into the request, so that a resumed run sees that a model has changed.

#include "runs/load_grid.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/files/files.hpp"
#include "base/input_errors.hpp"
#include "base/sha256.hpp"
#include "formats/read_copies.hpp"
#include "formats/read_order.hpp"
#include "model/model_spec.hpp"
#include "poet/error.hpp"
#include "problem/early_updates.hpp"
#include "question/choose_copies.hpp"

namespace poet {
namespace {

void check_required(const SweepRequest& request) {
  require_option(request.models, "--models", "expected names or files (--list-models)");
  if (request.min_ram && !request.ram_budget.empty()) {
    throw InputError("--ram-budget", "found with --min-ram, which looks for one; expected either");
  }
  if (!request.min_ram) {
    require_option(request.ram_budget, "--ram-budget",
                   "expected budgets or a range such as min..100%:16");
  }
  require_option(request.runtime_budget, "--runtime-budget",
                 "expected multiples such as 1.5,3 or times such as 12.5s");
}

/// Two names for the same file's bytes would give every point twice.
template <typename Thing>
std::string digests(const std::vector<Thing>& things, const std::vector<std::string>& names,
                    const char* option) {
  std::map<std::string, std::string> seen;
  std::vector<std::string> all;
  for (std::size_t i = 0; i < things.size(); ++i) {
    const auto [known, is_new] = seen.emplace(things[i].sha256, names[i]);
    if (!is_new) {
      throw InputError(option, fmt::format("'{}' and '{}' are the same; expected each once",
                                           known->second, names[i]));
    }
    all.push_back(things[i].sha256);
  }
  return fmt::format("{}", fmt::join(all, ","));
}

/// The copies that all models of the sweep have; of a file.
Copies stated_copies(SweepRequest& request) {
  constexpr std::string_view kNone = "off";
  if (request.copies_file == kNone) request.copies_file.clear();
  if (request.copies_file.empty()) return {};
  return with_place("--copies", [&] {
    const std::string text = read_file(request.copies_file);
    request.copies_file_sha256 = sha256_hex(text);
    return read_copies(text, request.copies_file);
  });
}

std::vector<Model> load_models(SweepRequest& request) {
  const auto names = with_place("--models", [&] { return parse_names(request.models); });
  std::vector<Model> models;
  models.reserve(names.size());
  const Copies copies = stated_copies(request);
  for (const std::string& name : names) {
    models.push_back(with_place("--models", [&] {
      return load_model(name, request.model.batch_size, request.model.backward);
    }));
    models.back() = with_place("--alignment", [&] {
      return with_alignment(std::move(models.back()), request.model.alignment);
    });
    if (copies.tensors.empty()) continue;
    models.back() = with_place("--copies", [&] { return with_copies(models.back(), copies); });
  }
  request.model_sha256 = digests(models, names, "--models");
  return models;
}

std::vector<Platform> load_platforms(SweepRequest& request) {
  std::vector<Platform> platforms;
  if (request.platforms.empty()) return platforms;
  const auto names = with_place("--platforms", [&] { return parse_names(request.platforms); });
  platforms.reserve(names.size());
  for (const std::string& name : names) {
    platforms.push_back(with_place("--platforms", [&] { return load_platform(name); }));
  }
  request.platform_sha256 = digests(platforms, names, "--platforms");
  return platforms;
}

/// What the problems of a sweep have in common.
Question shared_question(const SweepRequest& request, const std::vector<TechniqueSet>& techniques) {
  const bool paging = std::any_of(techniques.begin(), techniques.end(),
                                  [](const TechniqueSet& set) { return set.paging; });
  return {.techniques = {.paging = paging},
          .paging_time = request.paging_time,
          .storage = request.storage,
          .settings = request.settings};
}

/// The list with what `all` stands for, so that a journal has the names of this build.
std::string spelt_out(const std::string& list, const char* option,
                      const std::vector<std::string>& built_in) {
  if (list.empty()) return list;
  std::vector<std::string> names = with_place(option, [&] { return parse_names(list); });
  const auto all = std::find(names.begin(), names.end(), "all");
  if (all == names.end()) return list;
  names.insert(names.erase(all), built_in.begin(), built_in.end());
  return fmt::format("{}", fmt::join(names, ","));
}

/// Puts every subject in the order of a file, which has to be an order of each of their models.
void put_in_stated_order(SweepRequest& request, SweepGrid& grid) {
  if (request.settings.order != OrderKind::stated) return;
  std::string text;
  if (request.order_file != kEarlyUpdatesOrder) {
    text = with_place("--order", [&] { return read_file(request.order_file); });
    request.order_file_sha256 = sha256_hex(text);
  }
  for (Subject& subject : grid.subjects) {
    subject = with_place("--order", [&] {
      return with_place(subject.model.name,
                        [&] { return in_stated_order(subject, request.order_file, text); });
    });
  }
}

}  // namespace

Subject in_stated_order(const Subject& given, const std::string& name, const std::string& text) {
  return reordered(given, name == kEarlyUpdatesOrder
                              ? early_updates(given.graph, precedence(given)).order
                              : read_order(text, name, given.model));
}

Subject priced(const Model& model, const std::optional<Platform>& platform,
               const Question& question, const char* platform_option) {
  if (!platform && model.backward != Backward::explicit_nodes) {
    throw InputError(platform_option,
                     "missing; expected a platform's name or file (--list-platforms): this "
                     "model has no measured costs");
  }
  const Platform* const costs = platform ? &*platform : nullptr;
  with_place("--paging-time", [&] { return shared_limits(model, costs, question); });
  return make_subject(model, platform, question);
}

void spell_out(SweepRequest& request) {
  request.models = spelt_out(request.models, "--models", builtin_models());
  request.platforms = spelt_out(request.platforms, "--platforms", builtin_platforms());
}

SweepGrid load_grid(SweepRequest& request) {
  check_required(request);
  SweepGrid grid;
  if (!request.min_ram) {
    grid.ram = with_place("--ram-budget", [&] { return parse_ram_ranges(request.ram_budget); });
  }
  grid.runtime =
      with_place("--runtime-budget", [&] { return parse_runtime_budgets(request.runtime_budget); });
  grid.techniques =
      with_place("--techniques", [&] { return parse_technique_sets(request.techniques); });
  const std::vector<Model> models = load_models(request);
  const std::vector<Platform> platforms = load_platforms(request);
  const Question question = shared_question(request, grid.techniques);
  const auto add = [&](const Model& model, const std::optional<Platform>& platform) {
    grid.subjects.push_back(
        with_place(model.name, [&] { return priced(model, platform, question, "--platforms"); }));
  };
  for (const Model& model : models) {
    for (const Platform& platform : platforms) add(model, platform);
    if (platforms.empty()) add(model, std::nullopt);
  }
  put_in_stated_order(request, grid);
  if (const CopyChoice copies = request.settings.copies; copies != CopyChoice::none) {
    with_place("--copies", [&] {
      for (const Subject& each : grid.subjects) copy_candidates(each.model, copy_mode(copies));
    });
  }
  with_place(request.min_ram ? "--min-ram" : "--ram-budget", [&] { check_sweep(grid); });
  return grid;
}

}  // namespace poet
