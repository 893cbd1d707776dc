#pragma once

#include <tuple>

#include "base/fields.hpp"
#include "poet/schedule.hpp"

namespace poet {

// A schedule in files and in messages between processes. Whether it is valid is for simulate() to
// decide.

template <>
inline constexpr auto kFields<Stage> = std::tuple(Field<&Stage::resident>{"resident"},
                                                  Field<&Stage::compute>{"compute"},
                                                  Field<&Stage::page_out>{"page_out"},
                                                  Field<&Stage::page_in>{"page_in"});

template <>
inline constexpr auto kFields<Schedule> = std::tuple(Field<&Schedule::stages>{"stages"});

}  // namespace poet
