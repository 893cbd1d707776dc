#pragma once

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
  std::optional<Bytes> ram_bytes;  ///< of the chip; a larger budget gets a warning
};

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
///   runtime     = flop / (FLOP/s)
///   energy      = flop / (FLOP/J)
///   page energy = (latency + bytes / throughput) * memory power * `mem_power_scale`
///
/// Measured costs are taken as they are. `platform` may be null for a model whose nodes bring all
/// their costs; if schedules are not to page (`paging` is false), page energies may be missing as
/// well and are 0. Throws InputError if a cost is missing, a size leaves the range of 2^53 bytes,
/// or the scale is negative or not finite.
Graph cost_graph(const Model& model, const Platform* platform, double mem_power_scale = 1.0,
                 bool paging = true);

}  // namespace poet
