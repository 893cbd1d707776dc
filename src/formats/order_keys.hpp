#pragma once

#include "formats/json/json_cursor.hpp"
#include "poet/graph.hpp"
#include "poet/schedule_file.hpp"

namespace poet {

/// Fails unless `order` of a file's `model` has each of so many nodes once, in another order than
/// the given one. Whether the order is legal is for verify to say.
void check_order_list(const JsonCursor& list, const NodeOrder& order, int node_count);

/// Fails unless the keys of `model` about its order are all there or all missing, and well formed.
void check_order_keys(const JsonCursor& model, const ModelInfo& info, int node_count);

/// Fails if a node has a choice that only another order could use, in a file without an order.
void refuse_choices(const JsonCursor& nodes, const Graph& graph);

}  // namespace poet
