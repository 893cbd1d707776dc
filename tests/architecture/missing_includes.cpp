#include "architecture/missing_includes.hpp"

#include <algorithm>
#include <array>
#include <regex>
#include <set>

#include <fmt/format.h>

namespace poet::test {
namespace {

/// What poet_precompile() of cmake/PoetCompilerOptions.cmake lists for every target.
struct Precompiled {
  const char* header;
  const char* names;  ///< of what it declares, as far as the project uses it
};
constexpr std::array kPrecompiled{
    Precompiled{"<algorithm",
                "std::((any|all|none)_of|clamp|copy_if|count(_if)?|equal|fill|find(_if(_not)?)?|"
                "includes|(lower|upper)_bound|max(_element)?|min(_element)?|minmax|nth_element|"
                "partition|remove_if|replace|reverse|rotate|set_\\w+|(stable_)?sort|transform|"
                "unique)\\b"},
    Precompiled{"<functional", "std::function\\b"},
    Precompiled{"<map", "std::(multi)?map\\b"},
    Precompiled{"<optional", "std::(optional|nullopt|make_optional)\\b"},
    Precompiled{"<string", "std::(string|to_string)\\b"},
    Precompiled{"<vector", "std::vector\\b"},
    Precompiled{"<fmt/", "fmt::"},
};

/// The file of ours that another one includes by this name. Tests also name files of tests and of
/// their own folder.
Sources::const_iterator find_included(const Sources& sources, const std::string& from,
                                      const std::string& name) {
  const std::string here = from.substr(0, from.rfind('/') + 1);
  for (const std::string& path : {path_of(name), "tests/" + name, here + name}) {
    if (const auto found = sources.find(path); found != sources.end()) return found;
  }
  return sources.end();
}

/// What a file includes, itself or through files of ours.
std::set<std::string> included(const Sources& sources, const std::string& path) {
  std::set<std::string> headers;
  std::set<std::string> seen;
  Words open{path};
  while (!open.empty()) {
    const std::string next = open.back();
    open.pop_back();
    const auto source = sources.find(next);
    if (source == sources.end() || !seen.insert(next).second) continue;
    headers.insert(source->second.foreign.begin(), source->second.foreign.end());
    for (const std::string& ours : source->second.ours) {
      const auto found = find_included(sources, next, ours);
      if (found != sources.end()) open.push_back(found->first);
    }
  }
  return headers;
}

}  // namespace

Words needed_headers(std::string_view text) {
  Words needed;
  for (const Precompiled& one : kPrecompiled) {
    static std::map<std::string, std::regex> compiled;
    const auto [names, is_new] = compiled.try_emplace(one.header, one.names);
    if (std::regex_search(text.begin(), text.end(), names->second)) needed.push_back(one.header);
  }
  return needed;
}

Words missing_includes(const Sources& sources) {
  Words findings;
  for (const auto& [path, source] : sources) {
    const std::set<std::string> headers = included(sources, path);
    for (const std::string& header : source.needs) {
      const bool found =
          std::any_of(headers.begin(), headers.end(), [&header](const std::string& one) {
            return one == header || (header.ends_with("/") && one.starts_with(header));
          });
      if (!found) findings.push_back(fmt::format("{} does not include {}>", path, header));
    }
  }
  return findings;
}

}  // namespace poet::test
