#include "io/result_kind.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/journal_json.hpp"
#include "io/sweep_json.hpp"

namespace poet {
namespace {

std::string_view first_line(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text.substr(0, text.find('\n'));
}

/// A sweep's lines name their format in each; a schedule file on several lines has none in its
/// first that is whole. A broken line that names a format is a broken line of that format.
std::string format_of(std::string_view line) {
  const auto parsed = nlohmann::json::parse(line, nullptr, false);
  if (parsed.is_discarded()) {
    for (const std::string_view format : {kSweepFormat, kMinRamFormat, kJournalFormat}) {
      if (line.find(fmt::format("\"{}\"", format)) != std::string_view::npos) {
        return std::string(format);
      }
    }
  }
  const bool named = parsed.is_object() && parsed.contains("format");
  return named && parsed.at("format").is_string() ? parsed.at("format").get<std::string>() : "";
}

}  // namespace

ResultKind result_kind(const std::string& text) {
  const std::string_view line = first_line(text);
  if (line.starts_with("point,status,") || line.starts_with("task,status,")) {
    return ResultKind::table;
  }
  const std::string format = format_of(line);
  if (format == kSweepFormat) return ResultKind::sweep;
  if (format == kMinRamFormat) return ResultKind::min_ram;
  if (format == kJournalFormat) return ResultKind::journal;
  return ResultKind::schedule;
}

}  // namespace poet
