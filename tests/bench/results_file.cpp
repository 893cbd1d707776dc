#include "results_file.hpp"

#include <filesystem>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "base/files/files.hpp"
#include "base/sha256.hpp"
#include "jsonl.hpp"
#include "poet/error.hpp"

namespace poet::bench {
namespace {

std::string key(const Instance& instance, const std::string& disabled) {
  return fmt::format("{} seed {} {}", instance.name(), instance.solver_seed, disabled);
}

/// How the solve differs from those of this run, or nothing.
std::string difference(const Measurement& m, const Conditions& conditions) {
  const SolveSettings& wanted = conditions.solve.settings;
  const auto differs = [](const char* what, const auto& found, const auto& expected) {
    return fmt::format("found {} {}, expected {}, or another file", what, found, expected);
  };
  if (m.gap_asked != wanted.gap) return differs("a gap of", m.gap_asked, wanted.gap);
  if (m.time_limit_seconds != wanted.time_limit_seconds) {
    return differs("a time limit in s of", m.time_limit_seconds, wanted.time_limit_seconds);
  }
  if (m.memory_limit_bytes != conditions.memory_limit_bytes) {
    return differs("a memory limit in bytes of", m.memory_limit_bytes,
                   conditions.memory_limit_bytes);
  }
  if (m.program_sha256 != program_sha256()) {
    return "found a solve of another build of the program, expected this one's, or another file";
  }
  return {};
}

/// A last line without an end was torn.
void cut_torn_line(const std::string& path) {
  const std::string text = read_file(path);
  const std::size_t whole = text.rfind('\n') + 1;  // npos + 1 = 0
  if (whole < text.size()) write_file(path, text.substr(0, whole));
}

}  // namespace

ResultsFile::ResultsFile(const std::string& path, const Conditions& conditions) {
  check_writable(path);
  if (!std::filesystem::exists(path)) std::ofstream(path, std::ios::app);
  cut_torn_line(path);
  std::string kept;
  bool is_whole = true;
  for (const Measurement& m : read_jsonl({path})) {
    const std::string other = difference(m, conditions);
    if (!other.empty()) throw InputError(path, m.instance.name() + ": " + other);
    is_whole = is_whole && m.figures.finished;
    if (!m.figures.finished) continue;
    kept += json_line(m) + "\n";
    earlier_.emplace(key(m.instance, m.disabled), m);
  }
  if (!is_whole) write_file(path, kept);
  journal_.emplace(Journal::reopen(path));
}

const Measurement* ResultsFile::find(const Instance& instance, const std::string& disabled) const {
  const auto found = earlier_.find(key(instance, disabled));
  return found == earlier_.end() ? nullptr : &found->second;
}

void ResultsFile::append(const Measurement& measurement) {
  journal_->append(json_line(measurement));
}

}  // namespace poet::bench
