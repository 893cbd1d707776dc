#pragma once

#include "architecture/sources.hpp"

namespace poet::test {

/// The headers that a text needs, as far as they are among those that builds precompile, e.g.
/// `<map` for a text with `std::map`.
Words needed_headers(std::string_view text);

/// Files that use what such a header declares, and include it neither themselves nor through a file
/// of ours: they would not compile without precompiled headers, which hide that. An empty list is
/// good.
Words missing_includes(const Sources& sources);

}  // namespace poet::test
