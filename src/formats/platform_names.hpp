#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/embedded_file.hpp"

namespace poet {

/// Small letters and digits alone: `NUCLEO-F446RE`, `Nucleo F446RE` and `nucleo_f446re` are one
/// name.
std::string plain_name(std::string_view name);

/// The built-in platform of a board or chip that people call otherwise; empty if none is known.
std::string_view platform_called(std::string_view name);

/// ` (described so: ...)` with the built-in platforms that have these words in their texts, or
/// nothing.
std::string platforms_described(std::string_view words, std::span<const EmbeddedFile> built_in);

/// Whether `--set NAME=VALUE` is about the platform: `ram`, `flash`, `reserve`, `storage`.
bool is_platform_size(std::string_view name);

/// Parts `stm32f401:ram=256K` into the platform and the sizes that replace the ones in its file.
std::pair<std::string, std::string> part_platform(const std::string& value);

/// The text of a platform file with these sizes, `ram=256K:flash=1M`, and a name that has them.
/// Throws InputError.
std::string with_sizes(std::string_view text, const std::string& source, const std::string& sizes);

}  // namespace poet
