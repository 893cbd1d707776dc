#include "io/text/csv.hpp"

namespace poet {
namespace {

using Json = nlohmann::ordered_json;

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

std::string field(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return quoted(value.get_ref<const std::string&>());
  return value.dump();
}

}  // namespace

std::string csv_table(std::span<const Json> rows) {
  std::string text;
  if (rows.empty()) return text;
  const auto add_line = [&](auto&& cell) {
    bool first = true;
    for (const auto& [key, value] : rows.front().items()) {
      if (!first) text += ',';
      first = false;
      text += cell(key);
    }
    text += '\n';
  };
  add_line([](const std::string& key) { return quoted(key); });
  for (const Json& row : rows) {
    add_line([&](const std::string& key) { return field(row.at(key)); });
  }
  return text;
}

}  // namespace poet
