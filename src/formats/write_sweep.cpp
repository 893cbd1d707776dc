// Rows as JSON lines and as CSV, both from the table of fields of a row: the columns of the table
// are the keys of the lines. Lines and not one document: a result can be cut, joined and compared
// by tools that know lines only.

#include "formats/write_sweep.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/text/escape.hpp"
#include "baselines/fields.hpp"
#include "formats/json/json_fields.hpp"
#include "formats/json/json_text.hpp"

namespace poet {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;

std::string field(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return csv_field(value.get_ref<const std::string&>());
  return value.dump();
}

/// RFC 4180, but with plain line ends: a line of keys, then a line per row. A null is an empty
/// field.
std::string csv_table(const std::vector<Json>& rows,
                      const std::vector<std::string_view>& all_keys) {
  std::string text;
  if (rows.empty()) return text;
  // Some keys are in some rows only.
  std::vector<std::string> keys;
  for (const std::string_view key : all_keys) {
    const auto has_key = [&](const Json& row) { return row.contains(std::string(key)); };
    if (std::any_of(rows.begin(), rows.end(), has_key)) keys.emplace_back(key);
  }
  const auto add_line = [&](auto&& cell) {
    bool first = true;
    for (const std::string& key : keys) {
      if (!first) text += ',';
      first = false;
      text += cell(key);
    }
    text += '\n';
  };
  add_line([](const std::string& key) { return csv_field(key); });
  for (const Json& row : rows) {
    add_line([&](const std::string& key) {
      return row.contains(key) ? field(row.at(key)) : std::string();
    });
  }
  return text;
}

/// `timing` stands apart, so that two equal runs can be compared by all the rest.
template <typename Row>
std::string json_lines(const std::vector<Row>& rows, std::string_view format) {
  std::string text;
  for (const Row& row : rows) {
    Json line = {{"format", format}, {"version", kVersion}};
    add_fields(line, row, kFields<Row>);
    line["timing"] = {{"wall_seconds", row.wall_seconds}};
    text += json_write(line, true);
  }
  return text;
}

template <typename Row>
std::string csv(const std::vector<Row>& rows) {
  std::vector<Json> table;
  table.reserve(rows.size());
  for (const Row& row : rows) table.push_back(json_of(row));
  return csv_table(table, keys_of<Row>());
}

}  // namespace

std::string to_json_lines(const std::vector<SweepRow>& rows) {
  return json_lines(rows, kSweepFormat);
}

std::string to_json_lines(const std::vector<MinRamRow>& rows) {
  return json_lines(rows, kMinRamFormat);
}

std::string to_json_lines(const std::vector<BaselineRow>& rows) {
  return json_lines(rows, kBaselinesFormat);
}

std::string to_csv(const std::vector<SweepRow>& rows) {
  return csv(rows);
}

std::string to_csv(const std::vector<MinRamRow>& rows) {
  return csv(rows);
}

std::string to_csv(const std::vector<BaselineRow>& rows) {
  return csv(rows);
}

}  // namespace poet
