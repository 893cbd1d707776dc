// The figures of banks: what the program reads and writes in each, and what that takes at the rates
// of the platform. They follow from the program and the rates, which the file has, so that anybody
// can compute them again. Which bank is best for what is a question for the search alone.

#include "report/bank_figures.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "poet/arena.hpp"
#include "report/claim.hpp"
#include "report/compare_fields.hpp"
#include "report/fields.hpp"
#include "schedule/bank_traffic.hpp"

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

void set_offsets(std::vector<BankFigures>& banks) {
  Bytes next = 0;
  for (BankFigures& bank : banks) {
    bank.offset = next;
    next += room_of(bank);
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

/// Sizes that no platform has would make nonsense of what follows.
bool has_sizes(std::vector<std::string>& found, const std::vector<BankFigures>& banks) {
  for (const BankFigures& bank : banks) {
    if (bank.kept_bytes <= bank.bytes && bank.bytes <= kMaxBytes && bank.offset <= kMaxBytes) {
      continue;
    }
    found.push_back(fmt::format("summary.banks: '{}' has {} bytes, of which {} are kept",
                                printable(bank.name), bank.bytes, bank.kept_bytes));
    return false;
  }
  return true;
}

/// A file has the banks of its platform, with the same rates, in the same order.
void check_platform_banks(std::vector<std::string>& found, const ScheduleFile& file,
                          const Platform& platform) {
  std::vector<BankFigures> expected = bank_rooms(platform, file);
  const std::vector<BankFigures>& stated = file.banked.banks;
  if (expected.size() != stated.size()) {
    found.push_back(fmt::format("summary.banks has {}; platform '{}' has {}", stated.size(),
                                printable(platform.name), expected.size()));
    return;
  }
  constexpr auto kOfPlatform =
      kMembers<&BankFigures::name, &BankFigures::bytes, &BankFigures::kept_bytes,
               &BankFigures::bytes_per_second, &BankFigures::joules_per_byte>;
  for (std::size_t k = 0; k < stated.size(); ++k) {
    const auto other = first_difference(stated[k], expected[k], kOfPlatform);
    if (!other) continue;
    found.push_back(fmt::format("summary.banks[{}].{} is {}; the platform says {}", k, other->key,
                                printable(other->first), printable(other->second)));
  }
}

/// The cost of a file has to be no less than its bound.
void check_bound(std::vector<std::string>& found, const BankedFigures& banked) {
  constexpr double kTolerance = 1e-9;
  const bool of_energy = banked.bank_cost == BankCost::energy;
  const std::optional<double> cost = of_energy ? banked.bank_joules : banked.bank_seconds;
  if (!cost) {
    found.emplace_back("summary.bank_cost is energy, which the banks do not state");
  } else if (banked.bank_bound && *banked.bank_bound > *cost * (1 + kTolerance)) {
    found.push_back(fmt::format("summary.bank_bound is {}, which is above the cost of {}",
                                *banked.bank_bound, *cost));
  }
}

}  // namespace

std::vector<BankFigures> bank_rooms(const Platform& platform, const ScheduleFile& file) {
  std::vector<BankFigures> banks;
  banks.reserve(platform.banks.size());
  Bytes all = 0;
  for (const MemoryBank& bank : platform.banks) {
    banks.push_back({.name = bank.name,
                     .bytes = bank.bytes,
                     .bytes_per_second = bank.bytes_per_second,
                     .joules_per_byte = bank.joules_per_byte});
    all += bank.bytes;
  }
  const Bytes beside = std::max<Bytes>(all - file.request.limits.ram_budget_bytes, 0);
  Bytes kept = std::min(kept_bytes_of(file), beside);
  for (auto bank = banks.rbegin(); bank != banks.rend(); ++bank) {
    bank->kept_bytes = std::min(bank->bytes, kept);
    kept -= bank->kept_bytes;
  }
  set_offsets(banks);
  return banks;
}

Bytes homeless_bytes(const ScheduleFile& file) {
  Bytes kept = 0;
  for (const BankFigures& bank : file.banked.banks) kept += bank.kept_bytes;
  return kept_bytes_of(file) - kept;
}

void measure_banks(ScheduleFile& file) {
  set_figures(file.banked,
              follow_banks(file.graph, file.program, ranges_of(file.banked.banks)).banks);
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

void check_banks(std::vector<std::string>& found, const ScheduleFile& file,
                 const Platform* platform) {
  if (file.banked == BankedFigures()) return;
  if (file.banked.banks.empty() || !file.banked.bank_cost || !has_sizes(found, file.banked.banks)) {
    if (found.empty()) found.emplace_back("summary: expected 'bank_cost' and 'banks' together");
    return;
  }
  BankedFigures expected = file.banked;
  set_offsets(expected.banks);
  const BankTraffics walked = follow_banks(file.graph, file.program, ranges_of(expected.banks));
  found.insert(found.end(), walked.findings.begin(), walked.findings.end());
  set_figures(expected, walked.banks);
  const auto add = [&](const std::string& key, const std::string& is,
                       const std::string& should_be) {
    found.push_back(fmt::format("{} is {}; the program says {}", key, is, should_be));
  };
  for (std::size_t k = 0; k < expected.banks.size(); ++k) {
    compare_fields(file.banked.banks[k], expected.banks[k], kFields<BankFigures>,
                   fmt::format("summary.banks[{}].", k), add);
  }
  constexpr auto kSums =
      kMembersIn<InFile::always, &BankedFigures::bank_seconds, &BankedFigures::bank_joules>;
  compare_fields(file.banked, expected, kSums, "summary.", add);
  if (platform != nullptr) check_platform_banks(found, file, *platform);
  check_bound(found, file.banked);
}

}  // namespace poet
