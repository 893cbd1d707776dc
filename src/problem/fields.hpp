#pragma once

#include <tuple>

#include "base/fields.hpp"
#include "poet/graph.hpp"
#include "poet/schedule.hpp"

namespace poet {

// A graph and a schedule in files and in messages between processes. Whether a schedule is valid is
// for simulate() to decide.

template <>
inline constexpr auto kFields<Node> = std::tuple(
    Field<&Node::name>{"name"}, Field<&Node::op>{"op"}, Field<&Node::bytes>{"bytes"},
    Field<&Node::runtime_seconds>{"runtime_seconds"}, Field<&Node::energy_joules>{"energy_joules"},
    Field<&Node::page_in_energy_joules>{"page_in_energy_joules"},
    Field<&Node::page_out_energy_joules>{"page_out_energy_joules"}, Field<&Node::inputs>{"inputs"},
    Field<&Node::backward>{"backward"});

template <>
inline constexpr auto kFields<Stage> = std::tuple(Field<&Stage::resident>{"resident"},
                                                  Field<&Stage::compute>{"compute"},
                                                  Field<&Stage::page_out>{"page_out"},
                                                  Field<&Stage::page_in>{"page_in"});

template <>
inline constexpr auto kFields<Schedule> = std::tuple(Field<&Schedule::stages>{"stages"});

}  // namespace poet
