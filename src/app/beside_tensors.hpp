#pragma once

#include <optional>
#include <string>

#include "app/load_problem.hpp"
#include "app/options.hpp"

namespace poet::cli {

// What training needs in RAM beside the tensors that a schedule is about: parameters, what is kept
// for each of them, and what the platform sets aside.

/// Why a chip, or a budget with --count-parameters, has no room for any tensor, and what helps;
/// absent if there is room, or if nothing else counts.
std::optional<std::string> no_room_for_tensors(const Options& options, const RamBudget& stated,
                                               Bytes ram_budget_bytes, const Inputs& inputs);

/// The RAM budget for tensors: with --count-parameters, less what training needs beside them; 0 if
/// that leaves nothing.
Bytes ram_for_tensors(const Options& options, const RamBudget& stated, Bytes ram_budget_bytes,
                      const Inputs& inputs);

/// Warns if the budget and what is beside it are more than the chip has.
void warn_about_chip(const Inputs& inputs, Bytes ram_for_tensors);

/// `beside the tensors: parameters 966.3 KiB, reserve 16 KiB`; logs nothing if there is nothing.
void print_beside_tensors(const Inputs& inputs);

}  // namespace poet::cli
