#include "formats/read_inputs.hpp"

#include "formats/json/json_cursor.hpp"
#include "formats/json/json_text.hpp"

namespace poet {
namespace {

constexpr std::size_t kMaxOps = 1000;
constexpr std::int64_t kMaxElementBytes = 16;  // a complex number of two doubles

Transfer read_transfer(const JsonCursor& cursor) {
  cursor.allow_only({"latency_seconds", "bytes_per_second", "power_watts"});
  Transfer transfer{.latency_seconds = cursor.required("latency_seconds").number(),
                    .bytes_per_second = cursor.required("bytes_per_second").positive(),
                    .power_watts = {}};
  if (const auto power = cursor.optional("power_watts")) transfer.power_watts = power->number();
  return transfer;
}

OpRates read_rates(const JsonCursor& cursor) {
  cursor.allow_only({"flops_per_second", "flops_per_joule"});
  OpRates rates;
  if (const auto rate = cursor.optional("flops_per_second")) {
    rates.flops_per_second = rate->positive();
  }
  if (const auto rate = cursor.optional("flops_per_joule")) {
    rates.flops_per_joule = rate->positive();
  }
  if (!rates.flops_per_second && !rates.flops_per_joule) {
    cursor.fail_expecting("flops_per_second, flops_per_joule or both");
  }
  return rates;
}

/// What POET's platforms do not state.
void read_device(const JsonCursor& root, Platform& platform) {
  const auto whole = [&](std::string_view key, std::optional<Bytes>& value) {
    if (const auto member = root.optional(key)) value = member->integer(1);
  };
  if (const auto ops = root.optional("ops")) {
    for (const auto& [op, rates] : ops->members(kMaxOps)) platform.ops[op] = read_rates(rates);
  }
  if (const auto rate = root.optional("memory_bytes_per_second")) {
    platform.memory_bytes_per_second = rate->positive();
  }
  whole("block_bytes", platform.block_bytes);
  whole("storage_bytes", platform.storage_bytes);
  if (const auto cycles = root.optional("erase_cycles")) {
    platform.erase_cycles = cycles->positive();
    // So that their product with the bytes of storage, the wear of a step, is a number.
    if (*platform.erase_cycles > static_cast<double>(kMaxBytes)) {
      cycles->fail_expecting("a number above 0 and of at most 2^53");
    }
  }
  if (const auto reserve = root.optional("reserve_bytes")) {
    platform.reserve_bytes = reserve->integer();
  }
  whole("flash_bytes", platform.flash_bytes);
  if (const auto place = root.optional("parameters_in")) {
    const std::string word = place->string();
    if (word != "ram" && word != "flash") place->fail_expecting("\"ram\" or \"flash\"");
    if (word == "flash") platform.parameters_in = ParametersIn::flash;
  }
}

}  // namespace

Platform read_platform(std::string_view text, const std::string& source) {
  const nlohmann::json document = parse_json(text, source);
  const JsonCursor root(document, source);
  expect_format(root, "poet-platform", 1);
  root.allow_only({"format",
                   "version",
                   "name",
                   "description",
                   "flops_per_second",
                   "flops_per_joule",
                   "page_in",
                   "page_out",
                   "memory_power_watts",
                   "cpu_power_watts",
                   "element_bytes",
                   "ram_bytes",
                   "provenance",
                   "ops",
                   "memory_bytes_per_second",
                   "block_bytes",
                   "storage_bytes",
                   "erase_cycles",
                   "reserve_bytes",
                   "flash_bytes",
                   "parameters_in"});
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
  read_device(root, platform);
  return platform;
}

}  // namespace poet
