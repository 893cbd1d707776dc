#include "base/text/suggest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>

namespace poet {
namespace {

// A longer word cannot be a misspelt key, and comparing it would take time for nothing.
constexpr std::size_t kMaxWordLength = 64;
// A single letter begins too many names to be a hint.
constexpr std::size_t kMinBeginning = 2;
constexpr int kMaxNames = 3;

}  // namespace

int edit_distance(std::string_view from, std::string_view to) {
  std::vector<int> row(to.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i) + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const int replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.size() > kMaxWordLength) return {};
  std::string_view best;
  int best_distance = 0;
  for (const std::string_view candidate : candidates) {
    // The lengths alone may differ by too much, without the work of comparing.
    const auto longest = std::max(word.size(), candidate.size());
    const auto shortest = std::min(word.size(), candidate.size());
    if (3 * (longest - shortest) > std::max<std::size_t>(longest, 3)) continue;
    const int distance = edit_distance(word, candidate);
    if (3 * distance > std::max(static_cast<int>(longest), 3)) continue;
    if (!best.empty() && distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  const std::string_view guess = nearest(word, candidates);
  if (!guess.empty()) return fmt::format("; did you mean '{}'?", guess);
  // Nothing is spelt alike; the word may be the beginning of a name, or of several.
  std::string names;
  int count = 0;
  for (const std::string_view candidate : candidates) {
    if (word.size() < kMinBeginning || !candidate.starts_with(word)) continue;
    if (++count > kMaxNames) break;
    names += fmt::format("{}'{}'", names.empty() ? "" : " or ", candidate);
  }
  return names.empty() ? "" : fmt::format("; did you mean {}?", names);
}

}  // namespace poet
