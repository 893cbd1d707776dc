#include "runs/scheduled_platform.hpp"

#include "poet/error.hpp"
#include "report/summary.hpp"

namespace poet {

std::optional<Platform> find_platform(const PlatformInfo& stated) {
  if (stated.source == "-") return std::nullopt;
  try {
    Platform platform = load_platform(stated.source == "built-in" ? stated.name : stated.source);
    if (platform.sha256 == stated.sha256) return platform;
  } catch (const InputError&) {
    // The file may be gone.
  }
  return std::nullopt;
}

void price_moves(ScheduleFile& file) {
  if (!file.arena.moved_bytes || !file.platform) return;
  if (const auto platform = find_platform(*file.platform)) price_moves(file.arena, *platform);
}

}  // namespace poet
