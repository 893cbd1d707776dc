#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "report/draft.hpp"

namespace poet {

/// Makes the graph of a draft without `nodes` from what the draft says besides.
using GraphOfDraft = std::function<Graph(const ScheduleDraft&)>;

/// Reads a schedule file of which only `format`, `version`, `nodes` and `stages` have to be there,
/// and `nodes` only if there is no `graph_of`. Stages name nodes by index or by name, and may leave
/// out lists that are empty. What only a replay or a solve can state is not looked at. Throws
/// InputError for anything malformed; `source` is named.
ScheduleDraft parse_schedule_draft(std::string_view text, const std::string& source,
                                   const GraphOfDraft& graph_of);

}  // namespace poet
