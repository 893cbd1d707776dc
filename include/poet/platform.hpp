#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "poet/graph.hpp"
#include "poet/model.hpp"
#include "poet/units.hpp"

namespace poet {

/// One direction of paging: time = latency + bytes / throughput.
struct Transfer {
  Seconds latency_seconds = 0;
  double bytes_per_second = 0;
  std::optional<double> power_watts{};  ///< absent: the platform's memory power
};

/// Speed and energy of one op; absent: the platform's.
struct OpRates {
  std::optional<double> flops_per_second{};
  std::optional<double> flops_per_joule{};

  bool operator==(const OpRates&) const = default;
};

/// Where the parameters of a model are.
enum class ParametersIn { ram, flash };

/// Where the figures of a platform come from.
enum class Standing {
  measured,   ///< each figure has a source: a measurement, or what was computed from one
  published,  ///< by the authors of a paper
  estimated   ///< most have no better source than a guess
};

/// A figure that is known to lie between two ends. The platform itself has their geometric mean.
struct FigureInterval {
  std::string figure;  ///< JSON pointer into the platform file, such as `/flops_per_joule`
  double low = 0;      ///< above 0
  double high = 0;     ///< above `low`

  bool operator==(const FigureInterval&) const = default;
};

/// An answer looks at every corner of the box of energy figures: at 16 with these.
inline constexpr std::size_t kMaxEnergyIntervals = 4;

/// One of the memories that RAM consists of, such as memory coupled tightly to the core.
struct MemoryBank {
  std::string name;                         ///< small letters, digits and `_`; begins with a letter
  Bytes bytes = 0;                          ///< at least 1
  double bytes_per_second = 0;              ///< above 0, read and written alike
  std::optional<double> joules_per_byte{};  ///< read or written; absent: unknown
  /// Whether what training keeps beside tensors is here, and computations wait for it. At most one.
  bool keeps_parameters = false;

  bool operator==(const MemoryBank&) const = default;
};

/// The figures of a board from which all costs follow: speed, energy per operation, paging (POET,
/// ICML 2022, section 5, and its release).
struct Platform {
  std::string name;
  std::string description;
  std::string source;      ///< `built-in`, a path, or `-` for stdin
  std::string sha256;      ///< of the file's bytes
  std::string provenance;  ///< where the figures come from; `estimated` if nobody published them
  double flops_per_second = 0;
  double flops_per_joule = 0;
  Transfer page_in;
  Transfer page_out;
  double memory_power_watts = 0;   ///< drawn while paging
  double cpu_power_watts = 0;      ///< drawn while computing; reported, not used in costs
  int element_bytes = 4;           ///< size of one tensor element
  std::optional<Bytes> ram_bytes;  ///< of the chip; a larger budget gets a warning. Of all banks

  /// By op as `info` shows it, such as `conv2d_grad`; a gradient without rates of its own has those
  /// of its op. The op `default` is every other.
  std::map<std::string, OpRates, std::less<>> ops{};
  std::optional<double> memory_bytes_per_second{};  ///< RAM, for what an op reads and writes
  std::optional<Bytes> block_bytes{};               ///< secondary storage moves whole blocks
  std::optional<Bytes> storage_bytes{};             ///< of secondary storage
  std::optional<double> erase_cycles{};             ///< that each block of it survives
  Bytes reserve_bytes = 0;                          ///< of RAM, for stack and code
  std::optional<Bytes> flash_bytes{};               ///< of the chip, for what does not change
  ParametersIn parameters_in = ParametersIn::ram;

  // Only files from version 2 on have these.
  std::optional<Standing> standing{};
  std::map<std::string, std::string, std::less<>> sources{};  ///< by JSON pointer
  std::vector<FigureInterval> intervals{};  ///< of energy first, then of rates; by pointer

  // Only version 3 of the file has these.
  std::vector<MemoryBank> banks{};  ///< of RAM, none if it is one; `ram_bytes` is their sum
  std::optional<double> flash_bytes_per_second{};  ///< at which parameters there are read in place
  std::optional<double> flash_joules_per_byte{};   ///< that this takes; absent: nothing besides
};

/// Where the figures of a platform come from: what its file states, or, if that is of version 1,
/// what its provenance begins with or has after `estimated:`. Absent if neither says so.
std::optional<Standing> standing_of(const Platform& platform);

/// Whether an interval of this figure is one of energy: operations per joule, or a power of
/// transfers. All others are of rates.
bool is_energy_figure(std::string_view figure);

/// Whether more of an energy figure costs less: of operations per joule.
bool is_cheaper_if_higher(std::string_view figure);

/// The geometric mean of the ends of an interval.
double middle_of(const FigureInterval& interval);

/// The intervals of energy figures, or of rates.
std::vector<FigureInterval> energy_intervals(const Platform& platform);
std::vector<FigureInterval> rate_intervals(const Platform& platform);

/// Sets a figure that may have an interval. Throws InternalError for any other.
void set_figure(Platform& platform, std::string_view figure, double value);

/// Loads a built-in platform by name, a file by path, or stdin (`-`); see load_model. Throws
/// InputError for an unknown name (naming near misses) or an unreadable or invalid file.
Platform load_platform(const std::string& name_or_path);

/// Reads a platform from the text of a platform file. `source` names the text in errors and in
/// Platform::source. Throws InputError for an invalid file.
Platform parse_platform(std::string_view text, const std::string& source);

/// Returns the names of the built-in platforms, sorted.
std::vector<std::string> builtin_platforms();

/// Gives every node of a model its costs, in bytes, seconds and joules:
///
///   bytes       = elements of the output * element_bytes
///   runtime     = max(flop / (FLOP/s), bytes read and written / RAM bandwidth)
///   energy      = flop / (FLOP/J)
///   page time   = latency + bytes in whole blocks / throughput
///   page energy = page time * power of the transfer * `mem_power_scale`
///
/// A node has the rates of its op, if the platform states some. A RAM bandwidth and blocks count
/// only if the platform states them. Measured costs are taken as they are. `platform` may be null
/// for a model whose nodes bring all their costs; if schedules are not to page (`paging` is false),
/// page energies may be missing as well and are 0. Throws InputError if a cost is missing, a size
/// leaves the range of 2^53 bytes, or the scale is negative or not finite.
Graph cost_graph(const Model& model, const Platform* platform, double mem_power_scale = 1.0,
                 bool paging = true);

/// What training keeps in RAM beside tensors: an array of each, with one layer after the other.
enum class TrainingArray {
  parameters,  ///< weights and biases that are not in flash
  gradients,   ///< sums over several steps
  optimizer    ///< moments
};

/// What a program of exported C has in RAM, by term, as its `poet_plan.h` says it.
struct ExportedRam {
  std::optional<Bytes> arena_bytes{};  ///< absent until the schedule has offsets
  Bytes parameters_bytes = 0;          ///< that train; all others are constants
  Bytes moments_bytes = 0;
  Bytes kept_bytes = 0;                    ///< gradients that are accumulated over steps
  Bytes running_bytes = 0;                 ///< running statistics of norms
  Bytes data_bytes = 0;                    ///< of all inputs and targets
  Bytes stack_bytes = 0;                   ///< at most
  std::optional<Bytes> total_ram_bytes{};  ///< all of these; absent without the arena

  bool operator==(const ExportedRam&) const = default;
};

/// What training needs on the device beside the tensors of the graph. A RAM budget is about tensors
/// only, unless it is `chip` or --count-parameters is given.
struct DeviceMemory {
  Bytes parameters_bytes = 0;  ///< in RAM
  Bytes gradients_bytes = 0;   ///< of parameters, if they are accumulated over steps
  Bytes optimizer_bytes = 0;   ///< what the optimizer keeps for each parameter
  Bytes reserve_bytes = 0;     ///< what the platform sets aside
  Bytes flash_bytes = 0;       ///< parameters in flash
  /// Of an exact graph of layers whose elements are float32.
  std::optional<ExportedRam> exported{};

  bool operator==(const DeviceMemory&) const = default;
  Bytes ram_bytes() const {
    return parameters_bytes + gradients_bytes + optimizer_bytes + reserve_bytes;
  }
};

/// Returns what a model needs on a platform, or without one if `platform` is null. A trained
/// parameter is in RAM unless the platform keeps all of them in flash; a frozen one is in flash
/// if the chip has some. The graphs of POET have no such needs (ICML 2022 counts tensors only): for
/// them there is only the reserve. Throws InputError if a sum leaves the range of 2^53 bytes.
DeviceMemory device_memory(const Model& model, const Platform* platform);

/// Returns what `--ram-budget chip` stands for: the RAM of the platform's chip less
/// device_memory(), or 0, which no schedule fits, if that leaves nothing. Absent if the platform
/// does not state its RAM.
std::optional<Bytes> chip_ram_bytes(const Model& model, const Platform* platform);

}  // namespace poet
