// The figures of banks: what the program reads and writes in each, and what that takes at the rates
// of the platform. They follow from the program and the rates, which the file has, so that anybody
// can compute them again. Which bank is best for what is a question for the search alone.

#include "report/bank_figures.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "model/chip_ram.hpp"
#include "model/shape.hpp"
#include "model/training_arrays.hpp"
#include "poet/arena.hpp"
#include "poet/error.hpp"
#include "problem/alignment.hpp"
#include "report/fields.hpp"

namespace poet {
namespace {

std::vector<BankRange> ranges_of(const std::vector<BankFigures>& banks) {
  std::vector<BankRange> ranges;
  ranges.reserve(banks.size());
  for (const BankFigures& bank : banks) {
    ranges.push_back({.from = bank.offset, .to = bank.offset + room_of(bank), .name = bank.name});
  }
  return ranges;
}

Bytes kept_bytes_of(const ScheduleFile& file) {
  return file.summary.memory ? file.summary.memory->ram_bytes() : 0;
}

/// What the banks have beside the RAM budget of a file.
Bytes bytes_beside(const std::vector<BankFigures>& banks, const ScheduleFile& file) {
  Bytes all = 0;
  for (const BankFigures& bank : banks) all += bank.bytes;
  return std::max<Bytes>(all - file.request.limits.ram_budget_bytes, 0);
}

/// The reserve fills the banks from the last one on.
void set_reserve(std::vector<BankFigures>& banks, const ScheduleFile& file) {
  Bytes left = file.summary.memory ? file.summary.memory->reserve_bytes : 0;
  left = std::min(left, bytes_beside(banks, file));
  for (auto bank = banks.rbegin(); bank != banks.rend(); ++bank) {
    bank->kept_bytes = std::min(bank->bytes, left);
    left -= bank->kept_bytes;
  }
}

void set_offsets(std::vector<BankFigures>& banks) {
  Bytes next = 0;
  for (BankFigures& bank : banks) {
    bank.offset = next;
    next += room_of(bank);
  }
}

/// Takes the bytes of the arrays off the room of their banks, and appends what is wrong with them.
void add_arrays(BankedFigures& banked, std::vector<std::string>& found) {
  std::set<TrainingArray> seen;
  for (const KeptFigures& array : banked.kept) {
    const auto bank = std::find_if(banked.banks.begin(), banked.banks.end(),
                                   [&](const auto& each) { return each.name == array.bank; });
    if (!seen.insert(array.what).second) {
      found.push_back(fmt::format("summary.kept: '{}' is there twice", name_of(array.what)));
    } else if (bank == banked.banks.end()) {
      found.push_back(fmt::format("summary.kept: '{}' is in the bank '{}', which does not exist",
                                  name_of(array.what), printable(array.bank)));
    } else if (array.bytes > bank->bytes - bank->kept_bytes) {
      found.push_back(
          fmt::format("summary.kept: the bank '{}' has no room for the {} bytes of '{}'",
                      bank->name, array.bytes, name_of(array.what)));
    } else {
      bank->kept_bytes += array.bytes;
    }
  }
}

/// The banks of a file with the figures of a walk through its program, and the sums.
void set_figures(BankedFigures& banked, const std::vector<BankTraffic>& walked) {
  Seconds seconds = 0;
  std::optional<Joules> joules = 0;
  for (std::size_t k = 0; k < banked.banks.size(); ++k) {
    BankFigures& bank = banked.banks[k];
    bank.used_bytes = walked[k].used_bytes;
    bank.read_bytes = walked[k].read_bytes;
    bank.written_bytes = walked[k].written_bytes;
    for (const KeptFigures& array : banked.kept) {
      if (array.bank != bank.name) continue;
      bank.read_bytes += array.read_bytes;
      bank.written_bytes += array.written_bytes;
    }
    const auto traffic = static_cast<double>(bank.read_bytes + bank.written_bytes);
    bank.seconds = traffic / bank.bytes_per_second;
    bank.joules.reset();
    if (bank.joules_per_byte) bank.joules = traffic * *bank.joules_per_byte;
    seconds += bank.seconds;
    if (traffic > 0 && !bank.joules) joules.reset();
    if (joules && bank.joules) *joules += *bank.joules;
  }
  banked.bank_seconds = seconds;
  banked.bank_joules = joules;
}

}  // namespace

std::vector<BankFigures> banks_of(const Platform& platform) {
  std::vector<BankFigures> banks;
  banks.reserve(platform.banks.size());
  for (const MemoryBank& bank : platform.banks) {
    banks.push_back({.name = bank.name,
                     .bytes = bank.bytes,
                     .bytes_per_second = bank.bytes_per_second,
                     .joules_per_byte = bank.joules_per_byte});
  }
  return banks;
}

std::vector<BankFigures> bank_rooms(const Platform& platform, const ScheduleFile& file) {
  std::vector<BankFigures> banks = banks_of(platform);
  set_reserve(banks, file);
  return banks;
}

std::vector<TrainingArray> arrays_in_banks(const std::vector<BankFigures>& banks,
                                           const ScheduleFile& file) {
  std::vector<TrainingArray> arrays;
  const DeviceMemory memory = file.summary.memory.value_or(DeviceMemory());
  if (memory.ram_bytes() > bytes_beside(banks, file)) return arrays;
  for (const TrainingArray array : kTrainingArrays) {
    if (term_of(array, memory).second > 0) arrays.push_back(array);
  }
  return arrays;
}

std::vector<KeptFigures> kept_traffic(const ScheduleFile& file, const Model& model,
                                      const Platform& platform) {
  const DeviceMemory memory = device_memory(model, &platform);
  const KeptReader reader(model, &platform);
  std::vector<KeptFigures> arrays;
  for (const TrainingArray array : kTrainingArrays) {
    if (term_of(array, memory).second > 0) {
      arrays.push_back({.what = array, .bank = {}, .bytes = term_of(array, memory).second});
    }
  }
  for (const Instruction& step : file.program) {
    if (step.op != Instruction::Op::compute) continue;
    const KeptTraffic traffic = reader.of(model.nodes[step.node]);
    for (KeptFigures& array : arrays) {
      const auto k = static_cast<std::size_t>(array.what);
      array.read_bytes = checked_sum({array.read_bytes, traffic.read[k]});
      array.written_bytes = checked_sum({array.written_bytes, traffic.written[k]});
    }
  }
  return arrays;
}

void keep_in_banks(BankedFigures& banked, std::vector<KeptFigures> kept) {
  banked.kept = std::move(kept);
  std::vector<std::string> found;
  add_arrays(banked, found);
  if (!found.empty()) throw InternalError(found.front());
  set_offsets(banked.banks);
}

BankedFigures measured_banks(const ScheduleFile& file, std::vector<std::string>& found) {
  BankedFigures banked = file.banked;
  set_reserve(banked.banks, file);
  add_arrays(banked, found);
  set_offsets(banked.banks);
  const BankTraffics walked = follow_banks(file.graph, file.program, ranges_of(banked.banks));
  found.insert(found.end(), walked.findings.begin(), walked.findings.end());
  set_figures(banked, walked.banks);
  return banked;
}

Bytes homeless_bytes(const ScheduleFile& file) {
  Bytes kept = 0;
  for (const BankFigures& bank : file.banked.banks) kept += bank.kept_bytes;
  return kept_bytes_of(file) - kept;
}

std::vector<BankRange> used_banks(const ScheduleFile& file) {
  std::vector<BankRange> used;
  for (const BankFigures& bank : file.banked.banks) {
    if (bank.used_bytes == 0) continue;
    used.push_back({.from = bank.offset,
                    .to = bank.offset + aligned(bank.used_bytes, file.model.alignment),
                    .name = bank.name});
  }
  return used;
}

}  // namespace poet
