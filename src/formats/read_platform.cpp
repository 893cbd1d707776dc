// Platform files. All keys and most ranges are in the table of fields of a platform, which the
// writer uses as well. The checks below are what a range of one number cannot say.

#include "formats/read_inputs.hpp"

#include "formats/json/json_cursor.hpp"
#include "formats/json/json_fields.hpp"
#include "formats/json/json_text.hpp"
#include "model/fields.hpp"

namespace poet {
namespace {

constexpr std::size_t kMaxOps = 1000;
constexpr std::int64_t kMaxElementBytes = 16;  // a complex number of two doubles

/// What the table of fields does not say.
void check_platform(const JsonCursor& root, const Platform& platform) {
  if (platform.name.empty()) {
    root.required("name").fail_expecting("a name of at least one character");
  }
  if (platform.element_bytes < 1 || platform.element_bytes > kMaxElementBytes) {
    root.required("element_bytes").integer(1, kMaxElementBytes);
  }
  if (!platform.ops.empty()) {
    for (const auto& [op, rates] : root.required("ops").members(kMaxOps)) {
      if (platform.ops.at(op) != OpRates{}) continue;
      rates.fail_expecting("flops_per_second, flops_per_joule or both");
    }
  }
  // So that their product with the bytes of storage, the wear of a step, is a number.
  if (platform.erase_cycles.value_or(0) > static_cast<double>(kMaxBytes)) {
    root.required("erase_cycles").fail_expecting("a number above 0 and of at most 2^53");
  }
}

}  // namespace

Platform read_platform(std::string_view text, const std::string& source) {
  const nlohmann::json document = parse_json(text, source);
  const JsonCursor root(document, source);
  expect_format(root, "poet-platform", 1);
  std::vector<std::string_view> keys{"format", "version"};
  append_keys(keys, kFields<Platform>);
  root.allow_only(keys);
  Platform platform;
  read_fields(root, platform, kFields<Platform>);
  check_platform(root, platform);
  return platform;
}

}  // namespace poet
