// What a person reads about a schedule on stderr. Numbers have as many digits here as matter; the
// document has all of them.

#include "app/terminal/print_summary.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/text/figures.hpp"
#include "model/chip_ram.hpp"
#include "report/bank_figures.hpp"
#include "report/fields.hpp"
#include "report/place_schedule.hpp"

namespace poet::cli {
namespace {

/// What was minimised before the energy, with its bound; empty if nothing was.
/// The first search has a bound of its own, apart from the bound on the energy.
std::string objective_text(const ScheduleFile& file) {
  const Summary& s = file.summary;
  const auto bound = [](double figure, double least) {
    const double gap = relative_gap(figure, least);
    return gap > 0 ? fmt::format("at most {} % above the least", gap_figure(gap))
                   : std::string("proven least");
  };
  switch (file.request.settings.objective) {
    case Objective::runtime:
      return fmt::format(
          "runtime {} ({:.4f}x), {}; ", format_seconds(s.runtime_seconds), s.runtime_ratio,
          bound(s.runtime_seconds, file.bounds.runtime_lower_bound_seconds.value_or(0)));
    case Objective::ram:
      return fmt::format("RAM {} bytes, {}; ", s.peak_ram_bytes,
                         bound(static_cast<double>(s.peak_ram_bytes),
                               static_cast<double>(file.bounds.ram_lower_bound_bytes.value_or(0))));
    case Objective::energy:
      break;
  }
  return {};
}

/// What transfers have to do with the runtime; empty if they are free.
std::string paging_note(const ScheduleFile& file) {
  const PagingTime paging_time = file.request.limits.paging_time;
  if (paging_time == PagingTime::free) return {};
  const Summary& s = file.summary;
  return fmt::format(": {} of computing, {} of transfers, {}",
                     format_seconds(s.compute_seconds.value_or(s.runtime_seconds)),
                     format_seconds(s.paging_seconds), name_of(paging_time));
}

/// The figures of the step do not have them, so that they must not be much beside these.
constexpr double kNotedShare = 0.01;

void print_move_costs(const ScheduleFile& file, const std::string& heading) {
  const Seconds seconds = file.arena.moved_seconds.value_or(0);
  const Joules joules = file.arena.moved_joules.value_or(0);
  const Summary& s = file.summary;
  const bool is_little =
      seconds <= kNotedShare * s.runtime_seconds && joules <= kNotedShare * s.energy_joules;
  if (is_little) return;
  spdlog::warn("{}the moves take {}{} more than the figures say", heading, format_seconds(seconds),
               joules > 0 ? fmt::format(" and {}", format_joules(joules)) : std::string());
}

/// The offsets of tensors that must not be moved may need more than rounding does.
bool is_beyond_rounding(const ScheduleFile& file) {
  const ProgramBuffers lifetimes = program_buffers(file.graph, file.program);
  const Bytes peak = peak_bytes(lifetimes.buffers, offset_alignment(file));
  return *file.arena.arena_bytes > std::max(peak, file.request.limits.ram_budget_bytes);
}

}  // namespace

void print_summary(const ScheduleFile& file, const std::string& work) {
  const Summary& s = file.summary;
  spdlog::info("{}: {}{} per {}, {} over the baseline's {}; {}", status_name(file.status),
               objective_text(file), format_joules(s.energy_joules), step_word(file),
               change_text(s.energy_overhead), format_joules(s.baseline_energy_joules),
               gap_text(s.gap, s.gap_extra));
  spdlog::info("RAM {} of {} (baseline {}); runtime {:.4f}x of {:.4g}x{}",
               format_bytes(s.peak_ram_bytes), format_bytes(s.ram_budget_bytes),
               format_bytes(s.baseline_peak_ram_bytes), s.runtime_ratio,
               file.request.runtime_budget_ratio, paging_note(file));
  spdlog::info("{}, {} ({}), {} ({}){}", counted(s.recompute_count, "recomputation"),
               counted(s.page_out_count, "page-out"), format_bytes(s.page_out_bytes),
               counted(s.page_in_count, "page-in"), format_bytes(s.page_in_bytes), work);
  print_arena(file);
}

void print_moves(const ScheduleFile& file, const std::string& heading) {
  const auto moves =
      std::count_if(file.program.begin(), file.program.end(),
                    [](const Instruction& step) { return step.op == Instruction::Op::move; });
  if (moves == 0) return;
  spdlog::warn("{}found no offsets that fit without moves; {} of {}", heading,
               counted(moves, "move"), format_bytes(*file.arena.moved_bytes));
  print_move_costs(file, heading);
}

void print_arena(const ScheduleFile& file) {
  const Bytes arena = file.arena.arena_bytes.value_or(0);
  const Bytes budget = file.request.limits.ram_budget_bytes;
  if (!file.banked.banks.empty()) return print_banks(file, "");
  if (arena > budget && is_beyond_rounding(file)) {
    spdlog::warn(
        "found no offsets within the RAM budget, even with moves, as no tensor may be moved while "
        "it is transferred; they need {} bytes more; 'poet-solve place --no-moves' solves again in "
        "less RAM",
        arena - budget);
  } else if (arena > budget) {
    spdlog::info(
        "the offsets need {} bytes more than the RAM budget, as they are multiples of {} and the "
        "sizes of tensors are not",
        arena - budget, offset_alignment(file));
  }
  print_moves(file, "");
}

void print_banks(const ScheduleFile& file, const std::string& heading) {
  const BankedFigures& banked = file.banked;
  if (banked.banks.empty()) return;
  for (const BankFigures& bank : banked.banks) {
    spdlog::info("{}bank {}: {} of {} used; {} read, {} written in {}{}", heading, bank.name,
                 format_bytes(bank.used_bytes), format_bytes(room_of(bank)),
                 format_bytes(bank.read_bytes), format_bytes(bank.written_bytes),
                 format_seconds(bank.seconds),
                 bank.joules ? fmt::format(", {}", format_joules(*bank.joules)) : std::string());
  }
  const DeviceMemory memory = file.summary.memory.value_or(DeviceMemory());
  for (const KeptFigures& array : banked.kept) {
    spdlog::info("{}in bank {} too: {} of {}", heading, array.bank, format_bytes(array.bytes),
                 term_of(array.what, memory).first);
  }
  if (const Bytes homeless = homeless_bytes(file); homeless > 0) {
    spdlog::warn("{}the banks have no room for {} that training keeps beside tensors", heading,
                 format_bytes(homeless));
  }
  const bool of_energy = banked.bank_cost == BankCost::energy;
  const double cost = of_energy ? banked.bank_joules.value_or(0) : banked.bank_seconds.value_or(0);
  const double bound = std::min(banked.bank_bound.value_or(0), cost);
  spdlog::info(
      "{}in all banks {}{}; {}", heading, format_seconds(banked.bank_seconds.value_or(0)),
      banked.bank_joules ? fmt::format(", {}", format_joules(*banked.bank_joules)) : std::string(),
      bound >= cost * (1 - 1e-9)
          ? fmt::format("no placement takes less {}", name_of(*banked.bank_cost))
          : fmt::format("the least {} is at most {:.3g} % less", name_of(*banked.bank_cost),
                        100 * (1 - bound / cost)));
}

void print_valid(const ScheduleFile& file, const std::string& name, const std::string& rest) {
  const Summary& s = file.summary;
  spdlog::info("{}: valid; {} ({} over the baseline), peak RAM {} of {}, runtime {:.4f}x{}", name,
               format_joules(s.energy_joules), change_text(s.energy_overhead),
               format_bytes(s.peak_ram_bytes), format_bytes(s.ram_budget_bytes), s.runtime_ratio,
               rest);
}

bool print_findings(const std::vector<std::string>& findings, const std::string& name,
                    const std::string& what) {
  for (const std::string& finding : findings) spdlog::error("{}: {}", name, finding);
  if (findings.empty()) return true;
  spdlog::error("{}: invalid, {}{}", name, counted(findings.size(), "finding"),
                what.empty() ? "" : "; " + what);
  return false;
}

bool is_sound(const ScheduleFile& file, const std::string& name, const std::string& what) {
  return print_findings(verify_schedule_file(file), name, what);
}

/// The budget is for tensors, while the chip has to hold parameters and the like besides.
void warn_about_chip(const Subject& subject, Bytes ram_for_tensors) {
  if (!subject.platform || !subject.platform->ram_bytes) return;
  const Bytes beside = device_memory(subject.model, subject.platform_or_null()).ram_bytes();
  if (ram_for_tensors + beside <= *subject.platform->ram_bytes) return;
  spdlog::warn("the RAM budget of {}{} is more than the {} that platform '{}' has",
               format_bytes(ram_for_tensors),
               beside > 0 ? fmt::format(", with {} of parameters and the like beside the tensors,",
                                        format_bytes(beside))
                          : std::string(),
               format_bytes(*subject.platform->ram_bytes), subject.platform->name);
}

/// A graph of 20,000 nodes at 60 % of its RAM took 7 s of processor time for the first schedule,
/// and some 30 bytes for each stage that a tensor lives through, of which the baseline has half the
/// square of the nodes.
void warn_about_size(const Subject& subject, const SolveSettings& settings) {
  constexpr Seconds kSecondsOfPair = 2e-8;
  constexpr Bytes kBytesOfStage = 30;
  const double size = subject.graph.size();
  const Seconds seconds = kSecondsOfPair * size * size;
  std::int64_t stages = 0;
  std::vector<int> last_use(subject.graph.nodes.size());
  for (int node = subject.graph.size() - 1; node >= 0; --node) {
    stages += std::max(0, last_use[node] - node);
    for (const int input : subject.graph.nodes[node].inputs) {
      last_use[input] = std::max(last_use[input], node);
    }
  }
  const Bytes bytes = kBytesOfStage * stages;
  const bool is_long = settings.time_limit_seconds > 0 && seconds > settings.time_limit_seconds / 2;
  const bool is_large = settings.memory_limit_bytes > 0 && bytes > settings.memory_limit_bytes;
  if (!is_long && !is_large) return;
  spdlog::warn(
      "'{}' has {} nodes: a first schedule takes about {} of processor time and {} of memory, and "
      "may not be found within the limits; raise {}, or join nodes that are always kept together",
      subject.name(), subject.graph.size(), format_seconds(seconds), format_bytes(bytes),
      is_long ? "--time-limit-s" : "--memory-limit");
}

void print_beside_tensors(const Subject& subject) {
  const DeviceMemory memory = device_memory(subject.model, subject.platform_or_null());
  if (memory != DeviceMemory()) {
    spdlog::info("in RAM beside the tensors: {}", beside_tensors(memory));
  }
  if (!subject.platform || subject.platform->banks.size() < 2) return;
  spdlog::info("RAM is {} banks, and the offsets are for one: 'poet-solve place' chooses banks",
               subject.platform->banks.size());
}

// For those who tune a solve, so only with --verbose.
void print_work(const SolveStatistics& solver) {
  spdlog::debug("model {}: {} rows, {} columns, {} nonzeros; {} nodes", solver.formulation,
                solver.rows, solver.columns, solver.nonzeros, solver.nodes);
  spdlog::debug("first schedule after {}; local search {}, building {}, relaxations and CBC {}",
                format_seconds(solver.first_schedule_seconds),
                format_seconds(solver.heuristic_seconds), format_seconds(solver.build_seconds),
                format_seconds(solver.milp_seconds));
}

}  // namespace poet::cli
