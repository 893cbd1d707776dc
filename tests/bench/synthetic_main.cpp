// Writes a synthetic graph as a model file of measured nodes, for poet-solve to read.
//   poet_synthetic skips|layered|far-reaching NODES SEED

#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "synthetic.hpp"

int main(int argc, char** argv) {
  using namespace poet::bench;
  const std::string_view word = argc == 4 ? argv[1] : "";
  for (const Family family : {Family::skips, Family::layered, Family::far_reaching}) {
    if (word != family_name(family)) continue;
    try {
      const poet::Graph graph =
          synthetic_graph(family, std::atoi(argv[2]), std::strtoull(argv[3], nullptr, 10));
      fmt::print("{}", model_file(graph, fmt::format("{}-{}-{}", word, argv[2], argv[3])));
      return 0;
    } catch (const std::exception& error) {
      fmt::print(stderr, "poet_synthetic: {}\n", error.what());
      return 2;
    }
  }
  fmt::print(stderr, "usage: poet_synthetic skips|layered|far-reaching NODES SEED\n");
  return 2;
}
