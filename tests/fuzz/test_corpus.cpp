// The fuzz targets without a fuzzer: the corpus as it is, and with random damage.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/targets.hpp"
#include "solver/search/position.hpp"
#include "support/cases.hpp"
#include "support/contents_of.hpp"

namespace poet::test {
namespace {

/// Its own files, those that are built in, and those that other tests read.
std::vector<std::string> corpus(std::string_view target) {
  const std::filesystem::path root(POET_SOURCE_DIR);
  const std::string plural = std::string(target) + "s";
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& folder :
       {root / "tests/fuzz/corpus" / target, root / plural, root / "tests/data" / plural}) {
    if (!std::filesystem::exists(folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const auto& file : files) texts.push_back(contents_of(file));
  return texts;
}

/// One to four accidents: a byte changed, a piece lost, doubled, or moved here from elsewhere.
std::string damaged(Random& random, std::string text) {
  constexpr std::string_view kBytes = "{}[]\",:0123456789.eE-+ntf\\u N\n\x80\xff";
  for (int accidents = 1 + random.below(4); accidents > 0; --accidents) {
    if (text.empty()) return text;
    const auto size = static_cast<int>(text.size());
    const auto at = static_cast<std::size_t>(random.below(size));
    const auto length = static_cast<std::size_t>(1 + random.below(20));
    switch (random.below(4)) {
      case 0:
        text[at] = kBytes[static_cast<std::size_t>(random.below(static_cast<int>(kBytes.size())))];
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      default:
        text.insert(at, text.substr(static_cast<std::size_t>(random.below(size)), length));
    }
  }
  return text;
}

class Corpus : public testing::TestWithParam<FuzzTarget> {};

TEST_P(Corpus, IsReadOrRefusedInGoodOrder) {
  const std::vector<std::string> texts = corpus(GetParam().name);
  ASSERT_GE(texts.size(), 3U);
  for (const std::string& text : texts) EXPECT_NO_THROW(GetParam().read(text)) << text;
}

TEST_P(Corpus, IsReadOrRefusedInGoodOrderWhenDamaged) {
  const std::vector<std::string> texts = corpus(GetParam().name);
  const CaseRange range = wanted_cases(3000);
  for (int number = range.first; number < range.first + range.count; ++number) {
    Random random(number);
    const std::string& text =
        texts[static_cast<std::size_t>(random.below(static_cast<int>(texts.size())))];
    const std::string broken = damaged(random, text);
    EXPECT_NO_THROW(GetParam().read(broken)) << "case " << number << "\n" << broken;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, Corpus, testing::ValuesIn(fuzz_targets()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace poet::test
