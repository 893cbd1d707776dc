// Banks in a file against what follows from the program, the model and the platform, as far as they
// are known. The bound of a placement cannot be computed again, only contradicted.

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "model/chip_ram.hpp"
#include "report/bank_figures.hpp"
#include "report/claim.hpp"
#include "report/compare_fields.hpp"
#include "report/fields.hpp"
#include "report/file_order.hpp"

namespace poet {
namespace {

/// Sizes that no platform has would make nonsense of what follows.
bool has_sizes(std::vector<std::string>& found, const std::vector<BankFigures>& banks) {
  Bytes all = 0;
  for (const BankFigures& bank : banks) {
    const bool is_size =
        bank.kept_bytes <= bank.bytes && bank.bytes <= kMaxBytes - all && bank.offset <= kMaxBytes;
    if (is_size) {
      all += bank.bytes;
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
  const std::vector<BankFigures> expected = banks_of(platform);
  const std::vector<BankFigures>& stated = file.banked.banks;
  if (expected.size() != stated.size()) {
    found.push_back(fmt::format("summary.banks has {}; platform '{}' has {}", stated.size(),
                                printable(platform.name), expected.size()));
    return;
  }
  constexpr auto kOfPlatform =
      kMembers<&BankFigures::name, &BankFigures::bytes, &BankFigures::bytes_per_second,
               &BankFigures::joules_per_byte>;
  for (std::size_t k = 0; k < stated.size(); ++k) {
    const auto other = first_difference(stated[k], expected[k], kOfPlatform);
    if (!other) continue;
    found.push_back(fmt::format("summary.banks[{}].{} is {}; the platform says {}", k, other->key,
                                printable(other->first), printable(other->second)));
  }
}

/// Arrays have the bytes of `memory`, and are used as the model states, if it is known.
void check_arrays(std::vector<std::string>& found, const ScheduleFile& file, const Model* model,
                  const Platform* platform) {
  const DeviceMemory memory = file.summary.memory.value_or(DeviceMemory());
  for (const KeptFigures& array : file.banked.kept) {
    if (array.bytes == term_of(array.what, memory).second) continue;
    found.push_back(fmt::format("summary.kept: '{}' has {} bytes; summary.memory says {}",
                                name_of(array.what), array.bytes,
                                term_of(array.what, memory).second));
  }
  const std::vector<TrainingArray> expected = arrays_in_banks(file.banked.banks, file);
  if (expected.size() != file.banked.kept.size()) {
    found.push_back(fmt::format("summary.kept has {} arrays; {} are kept and have room",
                                file.banked.kept.size(), expected.size()));
  }
  if (model == nullptr || platform == nullptr) return;
  constexpr auto kTraffic = kMembers<&KeptFigures::read_bytes, &KeptFigures::written_bytes>;
  const std::optional<Model> in_order = in_order_of(file, *model, platform);
  if (!in_order) return;  // found by its order or its digest
  const std::vector<KeptFigures> walked = kept_traffic(file, *in_order, *platform);
  for (const KeptFigures& array : file.banked.kept) {
    const auto same = std::find_if(walked.begin(), walked.end(),
                                   [&](const auto& each) { return each.what == array.what; });
    if (same == walked.end()) continue;
    const auto other = first_difference(array, *same, kTraffic);
    if (!other) continue;
    found.push_back(fmt::format("summary.kept: {} of '{}' is {}; the model says {}", other->key,
                                name_of(array.what), other->first, other->second));
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

void check_banks(std::vector<std::string>& found, const ScheduleFile& file, const Model* model,
                 const Platform* platform) {
  if (file.banked == BankedFigures()) return;
  if (file.banked.banks.empty() || !file.banked.bank_cost || !has_sizes(found, file.banked.banks)) {
    if (found.empty()) found.emplace_back("summary: expected 'bank_cost' and 'banks' together");
    return;
  }
  const BankedFigures expected = measured_banks(file, found);
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
  check_arrays(found, file, model, platform);
  if (platform != nullptr) check_platform_banks(found, file, *platform);
  check_bound(found, file.banked);
}

}  // namespace poet
