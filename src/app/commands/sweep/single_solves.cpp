// `sweep --dry-run`. Each command states its budgets in bytes and as typed multiples, not as `min`
// or shares, so that a machine that runs one of them asks exactly what the sweep would have asked.
// --collect knows a file by its name, which has the number of the point.

#include "app/commands/sweep/single_solves.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "app/question_options.hpp"
#include "base/text/escape.hpp"
#include "base/text/printable.hpp"
#include "poet/error.hpp"
#include "runs/sweep_files.hpp"

namespace poet::cli {
namespace {

/// No bytes are what the parameters leave of a `chip`.
std::string ram_text(Bytes budget) {
  return budget > 0 ? fmt::format("{}", budget) : "chip";
}

/// The words as parse_runtime_budget() reads them back.
std::string runtime_text(const RuntimeBudget& budget) {
  const Ratio* ratio = std::get_if<Ratio>(&budget);
  return ratio != nullptr ? fmt::format("{}", ratio->value)
                          : fmt::format("{}s", std::get<Seconds>(budget));
}

/// Options that all commands share and that differ from what a single solve does anyway.
std::vector<std::string> shared_words(const SweepRequest& request) {
  const SweepRequest plain;
  std::vector<std::string> words;
  const auto add = [&](const char* option, const auto& value, const auto& usual) {
    if (value == usual) return;
    words.emplace_back(option);
    words.push_back(text_of(value));
  };
  add("--batch-size", request.model.batch_size, plain.model.batch_size);
  add("--backward", request.model.backward, plain.model.backward);
  add("--alignment", request.model.alignment, plain.model.alignment);
  visit_setting_options([&](const auto& option) {
    add(option.name, request.settings.*option.member, plain.settings.*option.member);
  });
  add("--paging-time", request.paging_time, plain.paging_time);
  for (const BudgetOption& option : kBudgetOptions) {
    add(option.name, request.storage.*option.member, plain.storage.*option.member);
  }
  if (request.settings.order == OrderKind::search)
    add("--order", request.settings.order, OrderKind::given);
  add("--order", request.order_file, plain.order_file);
  add("--copies", request.settings.copies, plain.settings.copies);
  add("--copies", request.copies_file, plain.copies_file);
  if (request.require_optimal) words.emplace_back("--require-optimal");
  return words;
}

}  // namespace

std::string single_solves(const std::string& program, const SweepGrid& grid,
                          const std::vector<SweepPoint>& points, const SweepRequest& request) {
  const std::vector<std::string> models = parse_names(request.models);
  const std::vector<std::string> platforms =
      request.platforms.empty() ? std::vector<std::string>{} : parse_names(request.platforms);
  const std::vector<std::string> shared = shared_words(request);
  std::string text;
  for (int p = 0; p < static_cast<int>(points.size()); ++p) {
    const SweepPoint& point = points[p];
    // Subjects are every model with every platform, in this order.
    const std::size_t per_model = std::max<std::size_t>(platforms.size(), 1);
    std::vector<std::string> words{program, "-q", "--model", models[point.subject / per_model]};
    if (!platforms.empty()) {
      words.insert(words.end(), {"--platform", platforms[point.subject % per_model]});
    }
    words.insert(words.end(), {"--ram-budget", ram_text(point.limits.ram_budget_bytes),
                               "--runtime-budget", runtime_text(point.runtime)});
    if (!point.limits.techniques.paging) words.emplace_back("--no-paging");
    if (!point.limits.techniques.remat) words.emplace_back("--no-remat");
    words.insert(words.end(), shared.begin(), shared.end());
    const std::filesystem::path file =
        std::filesystem::path(request.schedules) / schedule_file_name(grid, points, p);
    words.insert(words.end(), {"--output", file.string(), "--replace"});
    const std::string line = shell_command(words);
    if (line.find_first_of("\n\r") != std::string::npos) {
      throw InputError("--dry-run",
                       fmt::format("found a name with a line break in {}; expected none, since a "
                                   "line is a command",
                                   printable(line, 400)));
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace poet::cli
