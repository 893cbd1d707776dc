#include "expect_input_error.hpp"
#include "poet/sweep.hpp"

namespace poet {
namespace {

using testing::HasSubstr;

Bytes bytes_of(const std::optional<RamBudget>& budget) {
  return std::get<Bytes>(budget.value());
}

TEST(RamRanges, ReadsBudgetsRangesAndMin) {
  const auto ranges = parse_ram_ranges("737719, 25%..100%:16,256KiB..2MiB:12,min,min..50%:4");
  ASSERT_EQ(ranges.size(), 5U);
  EXPECT_EQ(bytes_of(ranges[0].first), 737719);
  EXPECT_FALSE(ranges[0].last);
  EXPECT_DOUBLE_EQ(std::get<Ratio>(ranges[1].first).value, 0.25);
  EXPECT_DOUBLE_EQ(std::get<Ratio>(*ranges[1].last).value, 1);
  EXPECT_EQ(ranges[1].count, 16);
  EXPECT_EQ(bytes_of(ranges[2].first), 262144);
  EXPECT_EQ(bytes_of(ranges[2].last), 2097152);
  EXPECT_TRUE(is_smallest(ranges[3].first));
  EXPECT_FALSE(ranges[3].last);
  EXPECT_TRUE(is_smallest(ranges[4].first));
  EXPECT_EQ(ranges[4].count, 4);
  EXPECT_TRUE(needs_smallest_ram(ranges));
  EXPECT_FALSE(needs_smallest_ram(parse_ram_ranges("1..2:2")));
}

TEST(RamRanges, ReadChipAsABudgetAndAsAnEnd) {
  const auto ranges = parse_ram_ranges("chip,min..chip:4,chip..100%:2,0.25..0.5:2");
  ASSERT_EQ(ranges.size(), 4U);
  EXPECT_EQ(std::get<NamedRam>(ranges[0].first), NamedRam::chip);
  EXPECT_EQ(std::get<NamedRam>(*ranges[1].last), NamedRam::chip);
  EXPECT_EQ(std::get<NamedRam>(ranges[2].first), NamedRam::chip);
  EXPECT_DOUBLE_EQ(std::get<Ratio>(ranges[3].first).value, 0.25);
  EXPECT_FALSE(needs_smallest_ram(parse_ram_ranges("chip,chip..100%:2")));
}

TEST(RamRanges, RefusesWhatIsNoListOfBudgets) {
  for (const std::string_view text :
       {"",           ",",          "1,",          ",1",         "1,,2",    "1..2",
        "1..2:",      "1..2:x",     "1..2:1",      "1..2:0",     "1..2:-3", "1..2:4097",
        "2..1:4",     "1..1:4",     "100%..25%:4", "50%..50%:2", "..2:4",   "1..:4",
        "50%..min:4", "50%:4",      "a..b:2",      "min..min:3", "1...2:3", "1..2:3:4",
        "maximum",    "chip..min:3"}) {
    SCOPED_TRACE(text);
    EXPECT_THROW(parse_ram_ranges(text), InputError);
  }
}

TEST(RamRanges, SaysWhatIsWrong) {
  EXPECT_THAT(input_error([] { parse_ram_ranges("1,,2"); }), HasSubstr("element 2"));
  EXPECT_THAT(input_error([] { parse_ram_ranges("1..2"); }), HasSubstr("FIRST..LAST:COUNT"));
  EXPECT_THAT(input_error([] { parse_ram_ranges("9..2:4"); }),
              HasSubstr("'9..2:4'; the first budget of a range must be below the last"));
  EXPECT_THAT(input_error([] { parse_ram_ranges("50%..min:4"); }),
              HasSubstr("'50%..min:4'; min is the smallest budget that works"));
  EXPECT_THAT(input_error([] { parse_ram_ranges("1..2:1"); }), HasSubstr("from 2 to 4096"));
  EXPECT_THAT(input_error([] { parse_ram_ranges("1..2XB:3"); }),
              testing::AllOf(HasSubstr("'1..2XB:3'"), HasSubstr("found '2XB'")));
  EXPECT_THAT(input_error([] { parse_ram_ranges("1..9999:4000,1..9999:97"); }),
              HasSubstr("4097 budgets"));
}

TEST(RuntimeBudgets, RangesIncludeBothEndsExactly) {
  const auto budgets = parse_runtime_budgets("1.5..3x:4,12.5s,10s..20s:2");
  ASSERT_EQ(budgets.size(), 7U);
  EXPECT_EQ(std::get<Ratio>(budgets[0]).value, 1.5);
  EXPECT_DOUBLE_EQ(std::get<Ratio>(budgets[1]).value, 2);
  EXPECT_DOUBLE_EQ(std::get<Ratio>(budgets[2]).value, 2.5);
  EXPECT_EQ(std::get<Ratio>(budgets[3]).value, 3);
  EXPECT_EQ(std::get<Seconds>(budgets[4]), 12.5);
  EXPECT_EQ(std::get<Seconds>(budgets[6]), 20);
  EXPECT_EQ(runtime_budget_name(budgets[0]), "1.5x");
  EXPECT_EQ(runtime_budget_name(budgets[4]), "12.5s");
}

TEST(RuntimeBudgets, RefusesMixedRangesAndRepetition) {
  EXPECT_THAT(input_error([] { parse_runtime_budgets("1.5..20s:3"); }),
              HasSubstr("two multiples or two times"));
  EXPECT_THAT(input_error([] { parse_runtime_budgets("1.5,2,1.50"); }), HasSubstr("twice"));
  EXPECT_THAT(input_error([] { parse_runtime_budgets("0.5..2:3"); }), HasSubstr("found '0.5'"));
  EXPECT_THROW(parse_runtime_budgets("3..1:3"), InputError);
}

TEST(TechniqueSets, ReadsEachOnce) {
  EXPECT_EQ(parse_technique_sets("none, both"), (std::vector{kNoTechnique, kBothTechniques}));
  EXPECT_EQ(technique_set_name(kOnlyRemat), "remat");
  EXPECT_THAT(input_error([] { parse_technique_sets("both,page"); }),
              HasSubstr("found 'page'; expected both, remat, paging or none"));
  EXPECT_THAT(input_error([] { parse_technique_sets("both,both"); }), HasSubstr("twice"));
}

TEST(Names, AreSplitAtCommas) {
  EXPECT_EQ(parse_names("linear, ./a b.json"), (std::vector<std::string>{"linear", "./a b.json"}));
  EXPECT_THAT(input_error([] { parse_names("m4,m0,m4"); }), HasSubstr("found 'm4' twice"));
  EXPECT_THROW(parse_names(" "), InputError);
}

}  // namespace
}  // namespace poet
