#include "formats/read_inputs.hpp"

#include "formats/json/json_cursor.hpp"
#include "formats/json/json_text.hpp"

namespace poet {
namespace {

constexpr std::int64_t kMaxElementBytes = 16;  // a complex number of two doubles

Transfer read_transfer(const JsonCursor& cursor) {
  cursor.allow_only({"latency_seconds", "bytes_per_second"});
  return {.latency_seconds = cursor.required("latency_seconds").number(),
          .bytes_per_second = cursor.required("bytes_per_second").positive()};
}

}  // namespace

Platform read_platform(std::string_view text, const std::string& source) {
  const nlohmann::json document = parse_json(text, source);
  const JsonCursor root(document, source);
  expect_format(root, "poet-platform", 1);
  root.allow_only({"format", "version", "name", "description", "flops_per_second",
                   "flops_per_joule", "page_in", "page_out", "memory_power_watts",
                   "cpu_power_watts", "element_bytes", "ram_bytes", "provenance"});
  Platform platform;
  const JsonCursor name = root.required("name");
  platform.name = name.string();
  if (platform.name.empty()) name.fail_expecting("a name of at least one character");
  if (const auto description = root.optional("description")) {
    platform.description = description->string();
  }
  if (const auto provenance = root.optional("provenance")) {
    platform.provenance = provenance->string();
  }
  platform.flops_per_second = root.required("flops_per_second").positive();
  platform.flops_per_joule = root.required("flops_per_joule").positive();
  platform.page_in = read_transfer(root.required("page_in"));
  platform.page_out = read_transfer(root.required("page_out"));
  platform.memory_power_watts = root.required("memory_power_watts").number();
  if (const auto power = root.optional("cpu_power_watts")) {
    platform.cpu_power_watts = power->number();
  }
  if (const auto size = root.optional("element_bytes")) {
    platform.element_bytes = static_cast<int>(size->integer(1, kMaxElementBytes));
  }
  if (const auto ram = root.optional("ram_bytes")) platform.ram_bytes = ram->integer(1);
  return platform;
}

}  // namespace poet
