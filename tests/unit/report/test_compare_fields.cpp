#include "report/compare_fields.hpp"

#include <gtest/gtest.h>

#include "problem/fields.hpp"

namespace poet {
namespace {

constexpr Limits kLimits{.ram_budget_bytes = 100, .runtime_budget_seconds = 2};

auto difference(const Limits& other) {
  return first_difference(kLimits, other, kFields<Limits>);
}

TEST(FirstDifference, OfEqualStructsIsNone) {
  EXPECT_FALSE(difference(kLimits));
}

TEST(FirstDifference, HasTheKeyAndBothValues) {
  Limits other = kLimits;
  other.techniques.remat = false;
  other.paging_time = PagingTime::blocking;
  const auto found = difference(other);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->key, "remat");
  EXPECT_EQ(found->first, "true");
  EXPECT_EQ(found->second, "false");
}

TEST(FirstDifference, ShowsWordsAndMissingValues) {
  Limits other = kLimits;
  other.paging_time = PagingTime::overlapped;
  EXPECT_EQ(difference(other)->first, "free");
  EXPECT_EQ(difference(other)->second, "overlapped");
  other = kLimits;
  other.storage.storage_budget_bytes = 0;
  EXPECT_EQ(difference(other)->first, "none");
  EXPECT_EQ(difference(other)->second, "0");
}

// Digits that two figures have in common would say nothing.
TEST(FirstDifference, ShowsFiguresUntilTheyDiffer) {
  Limits other = kLimits;
  other.runtime_budget_seconds = 2 + 1e-12;
  const auto found = difference(other);
  ASSERT_TRUE(found);
  EXPECT_NE(found->first, found->second);
}

// A member that no table names would not be compared.
TEST(FieldsOfLimits, CoverEveryMember) {
  const Limits other{.ram_budget_bytes = 1,
                     .runtime_budget_seconds = 1,
                     .techniques = kNoTechnique,
                     .paging_time = PagingTime::blocking,
                     .storage = {.storage_budget_bytes = 1, .page_out_budget_bytes = 1}};
  // Does not compile for another member, which belongs into `other`.
  [[maybe_unused]] const auto& [ram, runtime, techniques, paging_time, storage] = other;
  [[maybe_unused]] const auto& [copies, page_out] = storage;
  Limits copied = kLimits;
  for_each_field(kFields<Limits>, [&](const auto& field) { field.of(copied) = field.of(other); });
  EXPECT_EQ(copied, other);
}

}  // namespace
}  // namespace poet
