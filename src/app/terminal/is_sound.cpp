#include "app/terminal/is_sound.hpp"

#include <spdlog/spdlog.h>

namespace poet::cli {

bool is_sound(const ScheduleFile& file, const std::string& name, const char* what) {
  const std::vector<std::string> findings = verify_schedule_file(file);
  for (const std::string& finding : findings) spdlog::error("{}: {}", name, finding);
  if (findings.empty()) return true;
  spdlog::error("{}: invalid, {} finding{}; {}", name, findings.size(),
                findings.size() == 1 ? "" : "s", what);
  return false;
}

}  // namespace poet::cli
