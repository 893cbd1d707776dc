#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "baselines/run_baselines.hpp"
#include "sweep/rows.hpp"

namespace poet {

/// The `format` of each line of a result.
inline constexpr std::string_view kSweepFormat = "poet-sweep";
inline constexpr std::string_view kMinRamFormat = "poet-min-ram";
inline constexpr std::string_view kBaselinesFormat = "poet-baselines";

/// A line of JSON per row: every key in every line, null for a key without a value. What
/// differs between equal runs is under `timing`.
std::string to_json_lines(const std::vector<SweepRow>& rows);
std::string to_json_lines(const std::vector<MinRamRow>& rows);
std::string to_json_lines(const std::vector<BaselineRow>& rows);

/// The same as a table with a line of keys; without `format`, `version` and `timing`.
std::string to_csv(const std::vector<SweepRow>& rows);
std::string to_csv(const std::vector<MinRamRow>& rows);
std::string to_csv(const std::vector<BaselineRow>& rows);

/// Reads what to_json_lines() writes for a sweep; `source` is named in errors. Throws InputError
/// with the line for anything malformed, and for a text without lines.
std::vector<SweepRow> parse_sweep(std::string_view text, const std::string& source);
/// Likewise for a comparison of methods.
std::vector<BaselineRow> parse_baselines(std::string_view text, const std::string& source);

}  // namespace poet
