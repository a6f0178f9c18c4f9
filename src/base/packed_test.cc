#include "base/packed.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace slackline {
namespace {

struct Sums {
  std::vector<std::pair<char, std::int64_t>> rows;
  std::vector<std::string> names;
  std::optional<int> last;
  std::vector<double> values;
  int constant = 0;

  auto carried() { return std::tie(rows, names, last, values); }
};

TEST(Packed, GivesBackWhatIsCarried) {
  Sums from{{{'a', 1}, {'b', -2}}, {"", "two"}, 7, {0.5}, 3};
  std::uint16_t next = 9;
  std::vector<std::byte> bytes;
  pack(bytes, from);
  pack(bytes, next);
  Sums to{{{'z', 0}}, {}, {}, {1, 2}, 4};
  std::uint16_t after = 0;
  std::span<const std::byte> rest(bytes);
  unpack(rest, to);
  unpack(rest, after);
  EXPECT_TRUE(rest.empty());
  EXPECT_EQ(to.rows, from.rows);
  EXPECT_EQ(to.names, from.names);
  EXPECT_EQ(to.last, from.last);
  EXPECT_EQ(to.values, from.values);
  EXPECT_EQ(to.constant, 4) << "stays";
  EXPECT_EQ(after, 9);
}

TEST(Packed, TakesNoMemoryForWhatIsNotThere) {
  std::size_t many = std::size_t{1} << 40;
  std::vector<std::byte> bytes;
  pack(bytes, many);
  std::vector<double> values;
  std::vector<std::string> names;
  std::span<const std::byte> rest(bytes);
  EXPECT_THROW(unpack(rest, values), std::logic_error);
  rest = bytes;
  EXPECT_THROW(unpack(rest, names), std::logic_error);
}

}  // namespace
}  // namespace slackline
