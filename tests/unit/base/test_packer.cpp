#include "base/process/packer.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace poet {
namespace {

constexpr std::string_view kOddText("a\0\xff\n", 4);

TEST(Packer, GivesBackWhatWasPutInTheSameOrder) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  const double endless = -std::numeric_limits<double>::infinity();
  Packer packer;
  packer.put(tiny);
  packer.put(true);
  packer.put(std::int64_t{1} << 53);
  packer.put_all(std::vector<int>{3, -1});
  packer.put_all(std::vector<bool>{true, false, true});
  packer.put_all(std::vector<std::int8_t>{});
  packer.put(endless);
  packer.put_text("");
  packer.put_text(kOddText);

  Unpacker unpacker(packer.message());
  EXPECT_EQ(unpacker.get(), tiny);
  EXPECT_TRUE(unpacker.get_as<bool>());
  EXPECT_EQ(unpacker.get_as<std::int64_t>(), std::int64_t{1} << 53);
  EXPECT_EQ(unpacker.get_all<int>(), (std::vector<int>{3, -1}));
  EXPECT_EQ(unpacker.get_all<bool>(), (std::vector<bool>{true, false, true}));
  EXPECT_TRUE(unpacker.get_all<std::int8_t>().empty());
  EXPECT_EQ(unpacker.get(), endless);
  EXPECT_EQ(unpacker.get_text(), "");
  EXPECT_EQ(unpacker.get_text(), kOddText);
}

/// A record of these numbers.
Message record(const std::vector<double>& numbers) {
  Packer packer;
  for (const double number : numbers) packer.put(number);
  return packer.message();
}

TEST(Unpacker, RefusesToReadPastTheEnd) {
  Unpacker unpacker(record({1}));
  unpacker.get();
  EXPECT_THROW(unpacker.get(), MalformedMessage);
}

TEST(Unpacker, RefusesWhatIsLeftOver) {
  Unpacker unpacker(record({1, 2}));
  unpacker.get();
  EXPECT_THROW(unpacker.finish(), MalformedMessage);
  unpacker.get();
  EXPECT_NO_THROW(unpacker.finish());
}

TEST(Unpacker, RefusesHalfANumber) {
  Message message = record({1, 2});
  message.pop_back();
  EXPECT_THROW(Unpacker{message}, MalformedMessage);
}

TEST(Unpacker, RefusesNumbersThatAreNotOfTheirKind) {
  enum class Colour { red, green };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double number : {0.5, 2.0, -1.0, nan, 1e300}) {
    EXPECT_THROW(Unpacker(record({number})).get_as<bool>(), MalformedMessage) << number;
    EXPECT_THROW(Unpacker(record({number})).get_enum(Colour::green), MalformedMessage) << number;
  }
  for (const double number : {0.5, nan, 1e300, 128.0}) {
    EXPECT_THROW(Unpacker(record({number})).get_as<std::int8_t>(), MalformedMessage) << number;
  }
  EXPECT_EQ(Unpacker(record({1})).get_enum(Colour::green), Colour::green);
}

TEST(Unpacker, RefusesListsLongerThanTheMessage) {
  for (const double size : {3.0, -1.0, 0.5, 1e15}) {
    EXPECT_THROW(Unpacker(record({size, 1, 2})).get_all<double>(), MalformedMessage) << size;
  }
}

TEST(Unpacker, KnowsWhichKindOfAVariantItHas) {
  using Kinds = std::variant<double, std::string>;
  for (const Kinds& kind : {Kinds(0.5), Kinds("half")}) {
    EXPECT_EQ(unpacked<Kinds>(packed(kind)), kind);
  }
  for (const double kind : {-1.0, 2.0}) {
    EXPECT_THROW(unpacked<Kinds>(record({kind, 0})), MalformedMessage) << kind;
  }
}

TEST(ResultOnce, RefusesWhatFollowsTheResult) {
  for (const bool second_result : {false, true}) {
    ResultOnce order;
    order.take(false);
    order.take(true);
    EXPECT_THROW(order.take(second_result), MalformedMessage);
  }
}

}  // namespace
}  // namespace poet
