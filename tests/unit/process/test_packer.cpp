#include "process/packer.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace poet {
namespace {

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

  Unpacker unpacker(packer.message());
  EXPECT_EQ(unpacker.get(), tiny);
  EXPECT_TRUE(unpacker.get_as<bool>());
  EXPECT_EQ(unpacker.get_as<std::int64_t>(), std::int64_t{1} << 53);
  EXPECT_EQ(unpacker.get_all<int>(), (std::vector<int>{3, -1}));
  EXPECT_EQ(unpacker.get_all<bool>(), (std::vector<bool>{true, false, true}));
  EXPECT_TRUE(unpacker.get_all<std::int8_t>().empty());
  EXPECT_EQ(unpacker.get(), endless);
}

TEST(Packer, ReadingPastTheEndIsAnError) {
  Packer packer;
  packer.put(1);
  Unpacker unpacker(packer.message());
  unpacker.get();
  EXPECT_THROW(unpacker.get(), std::out_of_range);
}

}  // namespace
}  // namespace poet
