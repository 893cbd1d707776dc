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

/// What a board costs: speed, energy per operation, paging (POET, section 5 and its release).
struct Platform {
  std::string name;
  std::string description;
  std::string source;      ///< `built-in`, a path, or `-`
  std::string sha256;      ///< of the file's bytes
  std::string provenance;  ///< where the figures come from; `estimated` where nobody published them
  double flops_per_second = 0;
  double flops_per_joule = 0;
  Transfer page_in;
  Transfer page_out;
  double memory_power_watts = 0;   ///< drawn while paging
  double cpu_power_watts = 0;      ///< drawn while computing; told, not used in costs
  int element_bytes = 4;           ///< size of one tensor element
  std::optional<Bytes> ram_bytes;  ///< of the chip; a larger budget draws a warning
};

/// Loads a built-in platform by name, a file by path, or stdin (`-`); see load_model.
Platform load_platform(const std::string& name_or_path);

/// Reads a platform from the text of a platform file; `source` is named in errors.
Platform parse_platform(std::string_view text, const std::string& source);

/// Names of the built-in platforms, sorted.
std::vector<std::string> builtin_platforms();

/// The graph with its costs: runtime = flop / (FLOP/s), energy = flop / (FLOP/J), page energy =
/// (latency + bytes / throughput) * memory power * `mem_power_scale`. `platform` may be null for
/// a model whose nodes carry all their costs; page energies may be missing too where schedules are
/// not to page (`paging` is false), and are 0 then. Throws InputError where a cost is missing or a
/// size leaves the range of 2^53 bytes.
Graph apply_platform(const Model& model, const Platform* platform, double mem_power_scale = 1.0,
                     bool paging = true);

}  // namespace poet
