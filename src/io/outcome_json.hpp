#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "io/json/json_cursor.hpp"
#include "poet/min_ram.hpp"
#include "poet/sweep.hpp"

namespace poet {

/// An outcome with its schedule as JSON on one line, without an end of line: what the processes of
/// a sweep tell each other, and what its journal keeps. Doubles round-trip.
std::string outcome_json(const SweepOutcome& outcome);
std::string min_ram_json(const MinRam& found);

/// The way back. `source` is named in errors; throws InputError for anything malformed.
SweepOutcome parse_outcome(std::string_view text, const std::string& source);
SweepOutcome read_outcome(const JsonCursor& at);
MinRam parse_min_ram(std::string_view text, const std::string& source);
MinRam read_min_ram(const JsonCursor& at);

}  // namespace poet
