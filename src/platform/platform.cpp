#include "poet/platform.hpp"

#include "io/files/embedded.hpp"
#include "io/files/source_text.hpp"
#include "io/platform_reader.hpp"
#include "io/text/sha256.hpp"

namespace poet {

Platform parse_platform(std::string_view text, const std::string& source) {
  Platform platform = read_platform(text, source);
  platform.source = source;
  platform.sha256 = sha256_hex(text);
  return platform;
}

Platform load_platform(const std::string& name_or_path) {
  const SourceText found = find_text(name_or_path, "platform", embedded_platforms());
  Platform platform = parse_platform(found.text, found.place);
  platform.source = found.source;
  return platform;
}

std::vector<std::string> builtin_platforms() {
  return embedded_names(embedded_platforms());
}

}  // namespace poet
