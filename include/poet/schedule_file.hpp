#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "poet/exit_code.hpp"
#include "poet/graph.hpp"
#include "poet/model.hpp"
#include "poet/order.hpp"
#include "poet/platform.hpp"
#include "poet/problem.hpp"
#include "poet/schedule.hpp"
#include "poet/simulate.hpp"
#include "poet/solve.hpp"
#include "poet/units.hpp"

namespace poet {

/// Where in the intervals of its energy figures a platform is taken.
enum class EnergyEnd {
  middle,  ///< at the geometric mean of each
  low,     ///< at the end of each at which energy is low: most operations per joule, least power
  high     ///< at the other end of each
};

/// What was asked for: the file's `request`.
struct Request {
  /// What the schedule is checked against. Only version 2 of the file has the time of transfers,
  /// and budgets for secondary storage.
  Limits limits;
  double runtime_budget_ratio = 0;  ///< of the time to compute every node once; 0 if that is 0
  SolveSettings settings;           ///< a file has its numbers
  EnergyEnd at{};                   ///< only version 2 of the file has others than the middle
};

/// Where the graph came from: the file's `model`.
struct ModelInfo {
  std::string name;
  std::string source;
  std::int64_t batch_size = 1;
  int node_count = 0;
  int forward_node_count = 0;
  std::string backward;
  std::string sha256;
  Bytes alignment = kUsualAlignment;  ///< Model::alignment
  // Of another order than the given one; empty for that.
  NodeOrder order{};           ///< by node of the file: its place in the model's list
  std::string graph_sha256{};  ///< of the graph in the given order: what the problem is
  std::string order_sha256{};  ///< of the graph in this order, which bounds and proofs are about
  Copies copies{};             ///< Model::copies
};

/// Where the costs came from: the file's `platform`; absent when the model brings its own.
struct PlatformInfo {
  std::string name;
  std::string source;
  std::string sha256;
};

/// The problem of a run, as far as the run had read it: the part of a document without a schedule
/// that identifies its problem. What had not been read is absent.
struct ProblemInfo {
  std::optional<ModelInfo> model;
  std::optional<PlatformInfo> platform;  ///< absent as well when the model brings its costs
  std::optional<std::string> graph_sha256;
  std::optional<Request> request;  ///< once both budgets are known in absolute terms
  // What a proof of infeasibility adds.
  std::optional<std::string> node;          ///< the name of the node that decides
  std::optional<Bytes> smallest_ram_bytes;  ///< no smaller RAM budget can work
  bool smallest_ram_is_exact = false;       ///< whether that budget itself works
  /// With OrderKind::search: what is proven of the given order alone, if that is infeasible.
  std::optional<Status> given_order{};
};

/// The part of a file that identifies a model or a platform.
ModelInfo model_info(const Model& model);
PlatformInfo platform_info(const Platform& platform);

/// The figures of a schedule: the file's `summary`, keys and units alike.
struct Summary {
  Joules energy_joules = 0;
  Joules compute_energy_joules = 0;
  Joules page_in_energy_joules = 0;
  Joules page_out_energy_joules = 0;
  Joules baseline_energy_joules = 0;
  double energy_overhead = 0;  ///< energy / baseline - 1; 0 for a baseline of 0
  Joules lower_bound_joules = 0;
  double gap = 0;
  std::optional<double> gap_extra{};  ///< relative_extra_gap(); older files do not have it
  Seconds runtime_seconds = 0;        ///< of the step, transfers included as the request states
  double runtime_ratio = 0;  ///< runtime / time to compute every node once; 1 for a time of 0
  Seconds paging_seconds = 0;
  Bytes peak_ram_bytes = 0;
  Bytes ram_budget_bytes = 0;
  Bytes baseline_peak_ram_bytes = 0;
  int recompute_count = 0;
  int page_out_count = 0;
  int page_in_count = 0;
  Bytes page_out_bytes = 0;
  Bytes page_in_bytes = 0;
  // Only version 2 of the file has these.
  std::optional<Seconds> compute_seconds{};
  std::optional<double> compute_runtime_ratio{};  ///< as runtime_ratio, without any transfers
  std::optional<Bytes> peak_storage_bytes{};      ///< of all copies in secondary storage
  std::optional<DeviceMemory> memory{};           ///< beside tensors, if there is any
  /// How many such steps secondary storage survives, if the platform states its wear and the step
  /// writes to it.
  std::optional<double> steps_until_worn{};
};

/// What choosing an order bought: in the file's `summary`, with OrderKind::search.
struct OrderFigures {
  /// Of the best schedule that was found in the given order; absent if none was.
  std::optional<Joules> given_order_energy_joules{};
};

/// What a certificate proves (poet/certify.hpp): in the file's `summary`, if one was asked for.
struct CertifiedFigures {
  std::optional<bool> certified{};  ///< whether it proves the lower bound, as certifiable_claim()
  std::optional<Joules> certified_bound_joules{};  ///< absent without a certificate

  bool operator==(const CertifiedFigures&) const = default;
};

/// How much more than the best a schedule can cost if the energy figures of its platform lie
/// anywhere within their intervals. Corner c of that box has figure k at its high end if bit k of c
/// is set.
struct EnergyRange {
  std::vector<std::string> figures;         ///< JSON pointers into the platform file
  std::vector<double> low_ends;             ///< by figure, as written; likewise below
  std::vector<double> high_ends;            ///< by figure
  std::vector<Joules> schedule_joules;      ///< by corner: of this schedule
  std::vector<Joules> found_joules;         ///< by corner: of the best schedule that is known there
  std::vector<Joules> bound_joules;         ///< by corner: proven for every schedule
  double regret_bound = 0;                  ///< at no point is more than this share avoidable
  double regret_found = 0;                  ///< at one corner, this share is
  std::string deciding_figure;              ///< empty: the same schedule will do at all corners
  std::vector<std::string> deciding_nodes;  ///< paged or recomputed otherwise at its other end

  bool operator==(const EnergyRange&) const = default;
};

/// What a schedule takes if the rates of its platform lie anywhere within their intervals.
struct RuntimeRange {
  Seconds least_seconds = 0;
  Seconds most_seconds = 0;
  bool keeps_budget = false;  ///< of the request, in seconds, with every rate at its low end

  bool operator==(const RuntimeRange&) const = default;
};

/// What the intervals of a platform leave open: in the file's `summary`, if it has some.
struct UncertaintyFigures {
  std::optional<EnergyRange> energy_range{};
  std::optional<RuntimeRange> runtime_range{};

  bool operator==(const UncertaintyFigures&) const = default;
};

/// Where a schedule lies in RAM and in secondary storage: in the file's `summary`, if its program
/// has offsets.
struct ArenaFigures {
  std::optional<Bytes> arena_bytes{};  ///< the end of the highest tensor or workspace
  std::optional<Bytes> moved_bytes{};  ///< by all moves together; absent without moves
  // Of all moves, in no other figure; absent if the platform is unknown or does not say.
  std::optional<Seconds> moved_seconds{};
  std::optional<Joules> moved_joules{};
  std::optional<Bytes> storage_bytes{};  ///< the end of the highest slot; absent without slots

  bool operator==(const ArenaFigures&) const = default;
};

/// What a placement over banks makes least.
enum class BankCost {
  time,   ///< in which everything is read and written
  energy  ///< that this takes
};

/// Where an array that training keeps is, and what a schedule does there: it is in the bank as a
/// whole, at its end, for good.
struct KeptFigures {
  TrainingArray what = TrainingArray::parameters;
  std::string bank;  ///< the name of one
  Bytes bytes = 0;
  Bytes read_bytes = 0;
  Bytes written_bytes = 0;

  bool operator==(const KeptFigures&) const = default;
};

/// One of the memories that RAM consists of, and what a schedule does there. Its room for tensors
/// is what is left of its bytes, in multiples of kBankAlignment.
struct BankFigures {
  std::string name;      ///< as in the platform, and so the bytes and the rates
  Bytes bytes = 0;       ///< of the bank
  Bytes kept_bytes = 0;  ///< of it for what training keeps beside tensors, and the reserve
  Bytes offset = 0;      ///< the first offset of the program that is in this bank
  Bytes used_bytes = 0;  ///< the end of the highest tensor or workspace, from there
  double bytes_per_second = 0;
  std::optional<double> joules_per_byte{};
  Bytes read_bytes = 0;
  Bytes written_bytes = 0;
  Seconds seconds = 0;  ///< for all that is read and written
  std::optional<Joules> joules{};

  bool operator==(const BankFigures&) const = default;
};

/// Offsets of banks, and the room in each, are multiples of this: all that `place` aligns to.
constexpr Bytes kBankAlignment = 32;

/// The bytes of a bank for tensors.
constexpr Bytes room_of(const BankFigures& bank) {
  return (bank.bytes - bank.kept_bytes) / kBankAlignment * kBankAlignment;
}

/// How a schedule uses banks: in the file's `summary`, if its offsets are in some. They are in no
/// other figure: a platform's rates of computations are for its memory as a whole.
struct BankedFigures {
  std::optional<BankCost> bank_cost{};
  std::optional<Seconds> bank_seconds{};  ///< of all banks together
  std::optional<Joules> bank_joules{};    ///< likewise; absent if a bank that is used does not say
  std::optional<double>
      bank_bound{};                  ///< no placement of this program costs less, in the same unit
  std::vector<BankFigures> banks{};  ///< in the order of the platform, and of offsets
  /// What training keeps in them, each array once; empty if that is nothing, or has no room beside
  /// the RAM budget.
  std::vector<KeptFigures> kept{};

  bool operator==(const BankedFigures&) const = default;
};

/// A schedule file ("format": "poet-schedule") as data. See docs/schedule-format.md.
struct ScheduleFile {
  ExitCode code = ExitCode::ok;
  Status status = Status::unknown;
  ModelInfo model;
  std::optional<PlatformInfo> platform;
  Request request;
  Summary summary;
  ObjectiveBounds bounds;            ///< in the file's `summary`
  ArenaFigures arena;                ///< likewise
  BankedFigures banked{};            ///< likewise
  OrderFigures bought;               ///< likewise
  CertifiedFigures certificate;      ///< likewise
  UncertaintyFigures uncertainty{};  ///< likewise
  SolveStatistics solver;
  Graph graph;
  Schedule schedule;
  std::vector<Bytes> stage_peak_ram_bytes;  ///< by stage
  std::vector<Instruction> program;         ///< as to_program writes it, with offsets and slots
};

/// The graph of a file in the given order of its model, and its digest: what the problem of the
/// file is, in any order. Throws InputError if the file's order is not legal by edges and
/// parameters.
Graph given_graph(const ScheduleFile& file);
std::string given_graph_sha256(const ScheduleFile& file);

/// Whether the file is about a forward pass alone: an inference, which trains nothing.
bool is_forward_pass(const ScheduleFile& file);

/// What the device computes by it: `training step` or `inference`.
std::string_view step_word(const ScheduleFile& file);

/// The version of the format that a file needs: 2 if it uses anything that version 1 does not know,
/// which are attributes of nodes, times of transfers that are charged, budgets for secondary
/// storage, exact backward passes, other orders than the given one, and offsets, which every new
/// file has. The same of a problem without a schedule.
int schedule_version(const ScheduleFile& file);
int schedule_version(const ProblemInfo& problem);

/// Makes the schedule file of a solve that found a schedule, with an offset for every tensor. The
/// figures come from a fresh replay. Throws InternalError if the replay finds a violation, if its
/// energy differs from the solver's by more than 1e-9 relative, or if status or bound contradict
/// it. An optimum is only feasible if what the objective names is not proven within the gap.
ScheduleFile make_schedule_file(const Model& model, const Platform* platform,
                                const Problem& problem, const Request& request,
                                const SolveResult& result);

/// The schedule file: keys in the documented order, doubles that round-trip, one line per node,
/// stage and instruction (or one line in all when `compact`). Ends in a newline.
std::string to_json(const ScheduleFile& file, bool compact = false);

/// The document of a run without a schedule: format, version, code, status, error, and the problem.
std::string error_json(ExitCode code, std::string_view status, std::string_view error,
                       const ProblemInfo& problem, bool compact = false);

/// Reads a schedule file; `source` is named in errors. Figures are taken as they stand: use
/// verify_schedule_file to check them. Throws InputError for anything malformed, and for a document
/// without a schedule (an error document), whose error it quotes.
ScheduleFile parse_schedule_file(std::string_view text, const std::string& source);

/// Everything that is wrong with a schedule file: violations found by a replay, offsets with which
/// two tensors overlap, slots in which a copy is lost, figures (summary, stage peaks, status
/// against gap, bound above energy) that the replay contradicts, and an order of the nodes that is
/// not legal by their edges and parameters, or not the one of its digests. Empty for a valid file.
/// One line per finding, with its stage and node, if any.
std::vector<std::string> verify_schedule_file(const ScheduleFile& file);

}  // namespace poet
