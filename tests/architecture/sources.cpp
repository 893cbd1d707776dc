#include "architecture/sources.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "architecture/missing_includes.hpp"

namespace poet::test {
namespace {

namespace fs = std::filesystem;

bool contains(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Whether a path is this file or below this folder.
bool is_in(const std::string& path, const std::string& place) {
  return path == place || path.starts_with(place + "/");
}

std::string folder_of(const std::string& path) {
  return path.substr(0, path.find('/', std::string_view("src/").size()));
}

/// The layer that a file belongs to, if any.
const Layer* layer_of(const Page& page, const std::string& path) {
  constexpr std::string_view kPublic = "include/poet/";
  for (const Layer& layer : page.layers) {
    const bool found = path.starts_with(kPublic)
                           ? contains(layer.headers, unit_of(path).substr(kPublic.size()))
                           : is_in(path, layer.folder);
    if (found) return &layer;
  }
  return nullptr;
}

using Arrows = std::map<std::string, std::set<std::string>>;

Arrows arrows_between_units(const Sources& sources) {
  Arrows arrows;
  for (const auto& [path, source] : sources) {
    std::set<std::string>& to = arrows[unit_of(path)];
    for (const std::string& included : source.ours) to.insert(unit_of(path_of(included)));
    to.erase(unit_of(path));
  }
  return arrows;
}

class CircleSearch {
 public:
  explicit CircleSearch(const Arrows& arrows) : arrows_(arrows) {}

  Words run() {
    for (const auto& [unit, ignored] : arrows_) visit(unit);
    return std::move(found_);
  }

 private:
  void visit(const std::string& unit) {
    const auto open = std::find(path_.begin(), path_.end(), unit);
    if (open != path_.end()) {
      std::string circle;
      for (auto at = open; at != path_.end(); ++at) circle += *at + " -> ";
      found_.push_back(circle + unit);
    }
    if (!seen_.insert(unit).second) return;
    path_.push_back(unit);
    const auto to = arrows_.find(unit);
    if (to != arrows_.end()) {
      for (const std::string& next : to->second) visit(next);
    }
    path_.pop_back();
  }

  const Arrows& arrows_;
  std::set<std::string> seen_;
  Words path_;
  Words found_;
};

}  // namespace

Source read_source(std::string_view text) {
  Source source{.needs = needed_headers(text)};
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first;
    std::string name;
    words >> first >> name;
    if (name == "class") words >> name;  // of an enum
    const bool is_type =
        line.starts_with("struct ") || line.starts_with("class ") || line.starts_with("enum ");
    if (is_type && line.ends_with("{") && name.find_first_of("<:") == std::string::npos) {
      source.types.push_back(name);
    }
    if (first != "#include" || name.size() < 2) continue;
    if (name.front() == '"') {
      source.ours.push_back(name.substr(1, name.size() - 2));
    } else {
      source.foreign.push_back(name.substr(0, name.size() - 1));
    }
  }
  return source;
}

Sources read_sources(const fs::path& root, const Words& tops) {
  Sources sources;
  for (const std::string& top : tops) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / top)) {
      const fs::path name = entry.path().extension() == ".in" ? entry.path().stem() : entry.path();
      if (name.extension() != ".cpp" && name.extension() != ".hpp") continue;
      const fs::path folder = fs::relative(entry.path().parent_path(), root);
      std::ifstream file(entry.path());
      const std::string text(std::istreambuf_iterator<char>(file), {});
      sources[(folder / name.filename()).generic_string()] = read_source(text);
    }
  }
  return sources;
}

std::string path_of(const std::string& included) {
  return (included.starts_with("poet/") ? "include/" : "src/") + included;
}

std::string unit_of(const std::string& path) {
  return path.substr(0, path.rfind('.'));
}

Words wrong_rows(const Page& page, const Sources& sources) {
  Words findings;
  std::set<std::string> folders;
  for (const auto& [path, ignored] : sources) {
    if (path.starts_with("src/")) folders.insert(folder_of(path));
  }
  std::map<std::string, int> rows;
  std::map<std::string, int> headers;
  for (const Layer& layer : page.layers) {
    ++rows[layer.folder];
    for (const std::string& header : layer.headers) ++headers["include/poet/" + header + ".hpp"];
    if (!folders.contains(layer.folder)) findings.push_back(layer.folder + " is not there");
  }
  for (const std::string& folder : folders) {
    if (rows[folder] != 1) {
      findings.push_back(fmt::format("{} has {} rows; expected one", folder, rows[folder]));
    }
  }
  for (const auto& [path, ignored] : sources) {
    if (path.starts_with("include/") && headers[path] != 1) {
      findings.push_back(fmt::format("{} is in {} rows; expected one", path, headers[path]));
    }
  }
  for (const auto& [path, ignored] : headers) {
    if (!sources.contains(path)) findings.push_back(path + " is not there");
  }
  return findings;
}

Words wrong_order(const Page& page) {
  Words findings;
  Words below;
  for (const Layer& layer : page.layers) {
    for (const std::string& folder : layer.may_include) {
      if (contains(below, "src/" + folder)) continue;
      findings.push_back(fmt::format("{} may include {}, which is not above it in the table",
                                     layer.folder, folder));
    }
    below.push_back(layer.folder);
  }
  return findings;
}

Words wrong_arrows(const Page& page, const Sources& sources) {
  Words findings;
  for (const auto& [path, source] : sources) {
    const Layer* from = layer_of(page, path);
    if (from == nullptr) continue;  // wrong_rows() reports it
    for (const std::string& included : source.ours) {
      const std::string target = path_of(included);
      if (!sources.contains(target)) {
        findings.push_back(fmt::format("{} includes {}, which is not there", path, included));
        continue;
      }
      const Layer* to = layer_of(page, target);
      if (to == nullptr || to == from) continue;
      if (contains(from->may_include, to->folder.substr(std::string_view("src/").size()))) continue;
      findings.push_back(fmt::format("{} includes {}, but {} must not know {}", path, included,
                                     from->folder, to->folder));
    }
  }
  return findings;
}

Words repeated_types(const Sources& sources) {
  std::map<std::string, std::string> header_of;
  Words findings;
  for (const auto& [path, source] : sources) {
    if (!path.ends_with(".hpp")) continue;
    for (const std::string& type : source.types) {
      const auto [other, is_new] = header_of.try_emplace(type, path);
      if (!is_new)
        findings.push_back(fmt::format("{} and {} define {}", other->second, path, type));
    }
  }
  return findings;
}

Words repeated_file_names(const Sources& sources) {
  std::map<std::string, std::string> unit_of_name;
  Words findings;
  for (const auto& [path, source] : sources) {
    const std::string unit = unit_of(path);
    const std::string name = unit.substr(unit.rfind('/') + 1);
    if (!path.starts_with("src/") || name == "fields") continue;
    const auto [other, is_new] = unit_of_name.try_emplace(name, unit);
    if (is_new || other->second == unit) continue;
    findings.push_back(fmt::format("{} and {} have one name", other->second, path));
  }
  return findings;
}

Words circles(const Sources& sources) {
  return CircleSearch(arrows_between_units(sources)).run();
}

Words wrong_tables(const Page& page, const Sources& sources) {
  const Arrows arrows = arrows_between_units(sources);
  Words findings;
  for (const FileTable& table : page.tables) {
    std::map<std::string, std::size_t> row_of;
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      for (const std::string& file : table.rows[r]) {
        const std::string unit = table.folder + "/" + file;
        if (!arrows.contains(unit)) findings.push_back(unit + " is not there");
        if (!row_of.emplace(unit, r).second) findings.push_back(unit + " is listed twice");
      }
    }
    for (const auto& [unit, included] : arrows) {
      if (!is_in(unit, table.folder)) continue;
      const auto row = row_of.find(unit);
      if (row == row_of.end()) {
        findings.push_back(unit + " is not listed");
        continue;
      }
      for (const std::string& other : included) {
        const auto above = row_of.find(other);
        if (above == row_of.end() || above->second <= row->second) continue;
        findings.push_back(fmt::format("{} includes {}, which is further down", unit, other));
      }
    }
  }
  return findings;
}

Words wrong_foreign(const Page& page, const Sources& sources) {
  Words findings;
  for (const auto& [path, source] : sources) {
    for (const std::string& header : source.foreign) {
      const ForeignHeaders* rule = nullptr;
      for (const ForeignHeaders& candidate : page.foreign) {
        const bool known =
            std::any_of(candidate.beginnings.begin(), candidate.beginnings.end(),
                        [&](const std::string& begin) { return header.starts_with(begin); });
        if (known) rule = &candidate;
      }
      if (rule == nullptr) {
        // The standard library's have no ending, the system's are in sys/ or in no folder.
        const bool system = header.starts_with("<sys/") || header.find('/') == std::string::npos;
        if (system && !header.ends_with(".hpp")) continue;
        findings.push_back(fmt::format("{} includes {}>, which no row names", path, header));
      } else if (std::none_of(
                     rule->places.begin(), rule->places.end(),
                     [&, &file = path](const std::string& place) { return is_in(file, place); })) {
        findings.push_back(fmt::format("{} must not include {}>", path, header));
      }
    }
  }
  return findings;
}

}  // namespace poet::test
