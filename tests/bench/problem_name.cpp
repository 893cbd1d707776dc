#include "problem_name.hpp"

#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include "poet/error.hpp"
#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "synthetic.hpp"

namespace poet::bench {
namespace {

/// Far above what any schedule takes that is worth finding.
constexpr double kAmpleRuntime = 1000;

using Words = std::vector<std::string_view>;

Words words_of(std::string_view text, char separator) {
  Words words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

/// A number that fills the text.
template <typename Number>
Number number(std::string_view text, const std::string& name) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value <= 0) {
    throw InputError(name, "expected a name as `scripts/bench --list` prints it");
  }
  return value;
}

Problem layered_problem(const Words& words, const std::string& name) {
  Problem problem{.graph =
                      synthetic_graph(Family::far_reaching, number<int>(words[1], name),
                                      static_cast<std::uint64_t>(number<int>(words[3], name)))};
  const Baseline base = baseline(problem.graph);
  problem.limits = {.ram_budget_bytes = base.peak_ram_bytes * number<int>(words[4], name) / 100,
                    .runtime_budget_seconds = kAmpleRuntime * base.runtime_seconds,
                    .techniques = kOnlyRemat};
  return problem;
}

}  // namespace

/// Problems of POET's chains have its rules: no storage is full, and no transfer takes time.
Problem problem_of(const std::string& name) {
  Words words = words_of(name, ' ');
  if (words[0] == "layered" && words.size() == 6) return layered_problem(words, name);
  std::optional<Backward> backward;  // without one, as the model's file says
  if (words[0] == "exact") backward = Backward::exact;
  if (words[0] == "inference") backward = Backward::none;
  if (backward) words.erase(words.begin());
  const Words subject = words_of(words[0], '/');
  if (words.size() != 3 || subject.size() != 2 || !words[2].ends_with('x')) {
    throw InputError(name, "expected a name as `scripts/bench --list` prints it");
  }
  words[2].remove_suffix(1);
  const Platform platform = load_platform(std::string(subject[1]));
  const Model model = load_model(std::string(subject[0]), 1, backward);
  Problem problem{.graph = cost_graph(model, &platform)};
  const RuntimeBudget runtime = Ratio{number<double>(words[2], name)};
  problem.limits = {.ram_budget_bytes = number<Bytes>(words[1], name),
                    .runtime_budget_seconds = resolve(runtime, baseline(problem.graph))};
  if (backward == Backward::exact) problem.limits.paging_time = PagingTime::blocking;
  if (backward) problem.limits.storage.storage_budget_bytes = platform.storage_bytes;
  return problem;
}

}  // namespace poet::bench
