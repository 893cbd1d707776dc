#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace poet::test {

using Words = std::vector<std::string>;

/// A row of the table of layers: a folder of src, and what its files may include.
struct Layer {
  std::string folder;  ///< `src/base`
  Words headers;       ///< public ones, without folder and ending
  Words may_include;   ///< other folders, without `src/`
};

/// Headers of other projects, by how they begin, and the files or folders that may include them.
struct ForeignHeaders {
  Words beginnings;  ///< `<fmt/`
  Words places;
};

/// A folder of src whose files are listed from bottom to top.
struct FileTable {
  std::string folder;
  std::vector<Words> rows;  ///< files without ending, below `folder`: `milp/cbc`
};

/// A link target and its folders.
struct LinkTarget {
  std::string name;
  Words folders;
};

/// The tables of docs/architecture.md.
struct Page {
  std::vector<Layer> layers;  ///< from bottom to top
  std::vector<LinkTarget> targets;
  std::vector<ForeignHeaders> foreign;
  std::vector<FileTable> tables;
};

/// Reads the tables that it knows by their head. A table of files follows a line with
/// "Inside `src/FOLDER`". Throws std::runtime_error for a row that is not as wide as its head.
Page read_page(std::string_view markdown);

}  // namespace poet::test
