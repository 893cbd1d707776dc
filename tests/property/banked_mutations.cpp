// Mistakes in what a schedule file says of banks, and the files that they are made in.
#include <stdexcept>

#include <fmt/format.h>

#include "mutations.hpp"
#include "poet/arena.hpp"
#include "report/place_schedule.hpp"
#include "report/schedule_draft.hpp"
#include "support/random_exact_schedules.hpp"

namespace poet::test {
namespace {

/// Two or three banks that hold a share of `bytes` each, and together twice as much: most
/// schedules of such a peak fit, and use more than one.
Platform random_board(Twister& random, Bytes bytes) {
  Platform platform{.name = "banks"};
  const int count = draw(random, 2, 3);
  Bytes all = 0;
  for (int k = 0; k < count; ++k) {
    const Bytes part = k + 1 < count ? bytes / count + draw(random, 0, 64) : 2 * bytes - all;
    platform.banks.push_back({.name = fmt::format("bank_{}", k),
                              .bytes = part + 1,
                              .bytes_per_second = 1.0 * draw(random, 1, 1000),
                              .joules_per_byte = 1.0 * draw(random, 1, 1000)});
    all += part + 1;
  }
  platform.ram_bytes = all;
  return platform;
}

ScheduleFile new_banked_file(Twister& random) {
  constexpr int kTries = 100;
  for (int tries = 0; tries < kTries; ++tries) {
    const ScheduleFile file = complete_unplaced_draft(draft_of(random_exact_case(random)));
    const Platform platform = random_board(random, file.summary.peak_ram_bytes);
    const PlacedSchedule placed =
        place_schedule(file, {.platform = &platform,
                              .bank_cost = chance(random, 50) ? BankCost::time : BankCost::energy});
    if (placed.fits) return placed.file;
  }
  throw std::runtime_error("no schedule fits its banks");
}

/// One of forty files, as the search for banks takes a tenth of a second for each.
ScheduleFile random_banked_file(Twister& random) {
  static const std::vector<ScheduleFile> files = [] {
    constexpr int kFiles = 40;
    Twister draws(seed_of_run());
    std::vector<ScheduleFile> some;
    some.reserve(kFiles);
    while (some.size() < kFiles) some.push_back(new_banked_file(draws));
    return some;
  }();
  return pick(random, files);
}

std::vector<BankFigures>& banks(const Spot& spot) {
  return spot.file->banked.banks;
}

/// The bank in which the instruction puts a tensor with bytes; a null pointer if it puts none.
BankFigures* bank_of(const Spot& spot) {
  if (!spot.step().offset || spot.computed().bytes == 0) return nullptr;
  for (BankFigures& bank : banks(spot)) {
    const Bytes from = *spot.step().offset - bank.offset;
    if (from >= 0 && from < room_of(bank)) return &bank;
  }
  return nullptr;
}

const Occasion puts_a_tensor = [](const Spot& spot) { return bank_of(spot) != nullptr; };
/// The next bank begins above the tensor, which has more than a float.
const Occasion below_another_bank = puts_a_tensor && [](const Spot& spot) {
  const BankFigures& bank = *bank_of(spot);
  return spot.computed().bytes > 4 && room_of(bank) >= 4 && &bank != &banks(spot).back();
};

/// One less of what the first bank states.
template <typename Number>
Mutation less(std::string_view name, Number BankFigures::*member, std::string_view finding) {
  return {name, [member](const Spot& spot) { return banks(spot).front().*member > 0; },
          [member](Spot& spot, Twister&) { banks(spot).front().*member -= 1; }, finding};
}

}  // namespace

std::vector<Mutation> banked_mutations() {
  std::vector<Mutation> all{
      {"put_a_tensor_across_a_border", below_another_bank,
       [](Spot& spot, Twister&) {
         const BankFigures& bank = *bank_of(spot);
         spot.step().offset = bank.offset + room_of(bank) - 4;
       },
       "where no single bank holds it"},
      {"demand_another_bank", puts_a_tensor,
       [](Spot& spot, Twister&) { spot.computed().bank = "bank_9"; },
       "; the node demands 'bank_9'"},
      {"shrink_a_bank", anywhere,
       [](Spot& spot, Twister&) { banks(spot).front().bytes -= kBankAlignment; }, "].offset is"},
      {"leave_out_the_last_bank",
       [](const Spot& spot) { return banks(spot).back().used_bytes > 0; },
       [](Spot& spot, Twister&) { banks(spot).pop_back(); }, "where no single bank holds it"},
      less("state_fewer_bytes_read", &BankFigures::read_bytes, "].read_bytes is"),
      less("state_fewer_bytes_used", &BankFigures::used_bytes, "].used_bytes is"),
      {"state_another_rate", [](const Spot& spot) { return banks(spot).front().seconds > 0; },
       [](Spot& spot, Twister&) { banks(spot).front().bytes_per_second *= 2; }, "].seconds is"},
      {"state_another_sum", [](const Spot& spot) { return spot.file->banked.bank_joules > 0; },
       [](Spot& spot, Twister&) { *spot.file->banked.bank_joules *= 2; }, "summary.bank_joules is"},
      {"raise_the_bound_above_the_cost",
       [](const Spot& spot) { return spot.file->banked.bank_seconds > 0; },
       [](Spot& spot, Twister&) {
         BankedFigures& banked = spot.file->banked;
         const bool of_time = banked.bank_cost == BankCost::time;
         banked.bank_bound = 1.01 * (of_time ? *banked.bank_seconds : *banked.bank_joules);
       },
       "which is above the cost"},
      {"keep_what_training_does_not", anywhere,
       [](Spot& spot, Twister&) {
         spot.file->banked.kept.push_back(
             {.what = TrainingArray::optimizer, .bank = "bank_0", .bytes = 8});
       },
       "'optimizer' has 8 bytes; summary.memory says 0"}};
  for (Mutation& each : all) each.draw_file = random_banked_file;
  return all;
}

}  // namespace poet::test
