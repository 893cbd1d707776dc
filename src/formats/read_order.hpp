#pragma once

#include <string>
#include <string_view>

#include "poet/model.hpp"
#include "poet/order.hpp"

namespace poet {

/// Reads an order of the nodes of a model, which is in the given order: a schedule file of the
/// model, on any platform, for any batch size and in any order, or a JSON list of all nodes by
/// index or by a name that one node has. A file in the given order gives 0, 1, 2, ... Throws
/// InputError with the place for anything else, and for an order that is not legal.
NodeOrder read_order(std::string_view text, const std::string& source, const Model& given);

}  // namespace poet
