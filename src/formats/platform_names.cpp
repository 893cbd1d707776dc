// Boards as people call them. A file has one name, which results are compared by, so other names
// are kept here and not in the file: its digest stays. A chip that is on many boards is listed by
// the boards that are sold most. A name that could mean two chips with different RAM is left out.

#include "formats/platform_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "formats/json/json_text.hpp"
#include "poet/error.hpp"
#include "poet/units.hpp"

namespace poet {
namespace {

struct Alias {
  std::string_view called;  ///< as plain_name() makes it
  std::string_view platform;
};
constexpr std::array kAliases{Alias{"arduinomkr1000", "m0"},
                              Alias{"mkr1000", "m0"},
                              Alias{"samd21", "m0"},
                              Alias{"arduinonano33ble", "nrf52840"},
                              Alias{"nano33ble", "nrf52840"},
                              Alias{"nrf52840dk", "nrf52840"},
                              Alias{"pico", "rp2040"},
                              Alias{"raspberrypipico", "rp2040"},
                              Alias{"rpipico", "rp2040"},
                              Alias{"pi4", "rpi4"},
                              Alias{"raspberrypi4", "rpi4"},
                              Alias{"raspberrypi4b", "rpi4"},
                              Alias{"pi5", "rpi5"},
                              Alias{"raspberrypi5", "rpi5"},
                              Alias{"esp32s3devkitc1", "esp32s3"},
                              Alias{"xiaoesp32s3", "esp32s3"},
                              Alias{"nucleof401re", "stm32f401"},
                              Alias{"nucleof446re", "stm32f446"},
                              Alias{"nucleof746zg", "stm32f746"},
                              Alias{"stm32f746gdisco", "stm32f746"},
                              Alias{"nucleog474re", "stm32g474"},
                              Alias{"nucleoh743zi", "stm32h743"},
                              Alias{"nucleol476rg", "stm32l476"},
                              Alias{"bu585iiot02a", "stm32u585"}};

constexpr std::array<std::string_view, 4> kSizes{"ram", "flash", "reserve", "storage"};

}  // namespace

std::string plain_name(std::string_view name) {
  std::string plain;
  for (const unsigned char c : name) {
    if (std::isalnum(c) != 0) plain += static_cast<char>(std::tolower(c));
  }
  return plain;
}

std::string_view platform_called(std::string_view name) {
  const std::string plain = plain_name(name);
  for (const Alias& alias : kAliases) {
    if (alias.called == plain) return alias.platform;
  }
  return {};
}

// The first lines of a file are its name and description; sources below them name other boards.
std::string platforms_described(std::string_view words, std::span<const EmbeddedFile> built_in) {
  const std::string wanted = plain_name(words);
  std::string names;
  for (const EmbeddedFile& file : built_in) {
    const std::string_view head = file.text.substr(0, file.text.find("\"flops_per_second\""));
    if (wanted.size() < 2 || plain_name(head).find(wanted) == std::string::npos) continue;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", file.name);
  }
  return names.empty() ? names : fmt::format("; described so: {}", names);
}

bool is_platform_size(std::string_view name) {
  return std::find(kSizes.begin(), kSizes.end(), name) != kSizes.end();
}

std::pair<std::string, std::string> part_platform(const std::string& value) {
  std::size_t first = std::string::npos;
  for (const std::string_view size : kSizes) {
    first = std::min(first, value.find(fmt::format(":{}=", size)));
  }
  if (first == std::string::npos) return {value, {}};
  return {value.substr(0, first), value.substr(first + 1)};
}

// Where a figure comes from is said in the file as well, as far as it says so of any.
std::string with_sizes(std::string_view text, const std::string& source, const std::string& sizes) {
  nlohmann::json document = parse_json(text, source);
  if (!document.is_object()) return std::string(text);  // refused by the reader
  for (std::size_t at = 0; at <= sizes.size();) {
    const std::size_t end = std::min(sizes.find(':', at), sizes.size());
    const std::string size = sizes.substr(at, end - at);
    at = end + 1;
    const std::size_t equals = std::min(size.find('='), size.size());
    const std::string key = size.substr(0, equals) + "_bytes";
    const auto bytes =
        parse_bytes(std::string_view(size).substr(std::min(equals + 1, size.size())));
    if (!is_platform_size(size.substr(0, equals)) || !bytes) {
      throw InputError(
          fmt::format("found '{}'; expected ram, flash, reserve or storage with a size, "
                      "such as ram=256K",
                      printable(size)));
    }
    document[key] = *bytes;
    if (document.contains("sources")) document["sources"]["/" + key] = "given by the user";
  }
  if (const auto name = document.find("name"); name != document.end() && name->is_string()) {
    *name = name->get<std::string>() + ":" + sizes;
  }
  return document.dump();
}

}  // namespace poet
