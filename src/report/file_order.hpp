#pragma once

#include <optional>
#include <string>
#include <vector>

#include "poet/graph.hpp"
#include "poet/model.hpp"
#include "poet/order.hpp"
#include "poet/platform.hpp"
#include "poet/schedule_file.hpp"

namespace poet {

/// A file's graph in the given order of its model, with its choices of what is taken over; `order`
/// is ModelInfo::order and not empty. Throws InputError if either order is not legal for the graph
/// in the other.
Graph put_back(const Graph& graph, const NodeOrder& order);

/// A model, which is in the given order, in the order of a file; absent if the file's order is not
/// legal for it, or it has another number of nodes. `platform` may be null.
std::optional<Model> in_order_of(const ScheduleFile& file, const Model& given,
                                 const Platform* platform);

/// The digest of the graph that a file's problem is about, in the given order and without copies,
/// as the file states it; and of the graph that its proofs are about, empty if that is the same.
std::string problem_sha256(const ScheduleFile& file);
std::string own_sha256(const ScheduleFile& file);

/// What is wrong with the order that a file states, one line each: whether it is legal by what the
/// nodes say, its digests, and what nodes take over in it.
std::vector<std::string> order_findings(const ScheduleFile& file);

/// What is wrong with it by the formulas of the model, which is in the given order.
std::vector<std::string> order_findings(const ScheduleFile& file, const Model& given);

}  // namespace poet
