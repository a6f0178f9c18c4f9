#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "base/arithmetic.h"
#include "base/keyed_rows.h"

namespace slackline {
namespace {

TEST(FixedPointSum, DoesNotDependOnTheOrderOfItsTerms) {
  std::vector<double> terms;
  for (int i = 1; i < 2000; ++i) terms.push_back(std::pow(-1.5, i % 90) / i);
  FixedPointSum forward;
  FixedPointSum backward;
  FixedPointSum parts;
  for (const double term : terms) forward += term;
  for (std::size_t i = terms.size(); i-- > 0;) backward += terms[i];
  for (std::size_t i = 0; i < terms.size(); i += 7) {
    FixedPointSum part;
    for (std::size_t k = i; k < std::min(i + 7, terms.size()); ++k) part += terms[k];
    parts += part;
  }
  EXPECT_EQ(forward, backward);
  EXPECT_EQ(forward, parts);
}

TEST(FixedPointSum, KeepsFractionsBesideLargeTerms) {
  FixedPointSum sum;
  sum += 0x1p62;
  sum += 0.75;
  sum += -0x1p62;
  EXPECT_EQ(sum.value(), 0.75);
  EXPECT_EQ(FixedPointSum(0x1p90).value(), 0x1p90);
  EXPECT_EQ(FixedPointSum(-0x1p30 - 0.5).value(), -0x1p30 - 0.5);
  EXPECT_EQ(FixedPointSum(0x1p-33 + 0x1p-40).value(), 0x1p-32);
}

struct Row {
  int of;
  int sum;

  int key() const { return of; }
  void add(const Row& other) { sum += other.sum; }
  bool operator==(const Row&) const = default;
};

TEST(KeyedRows, RowsOfEqualKeysAreAddedUp) {
  std::vector<Row> rows{{3, 1}, {1, 10}, {3, 2}, {2, 5}, {1, 20}, {3, 4}};
  add_up_rows(rows);
  EXPECT_EQ(rows, (std::vector<Row>{{1, 30}, {2, 5}, {3, 7}}));
  rows.clear();
  add_up_rows(rows);
  EXPECT_TRUE(rows.empty());
}

struct TwoTables {
  std::vector<Row> rows{};
  std::vector<KeyedSum<char, double>> others{};

  auto tables() { return std::tie(rows, others); }
  void add_up() { add_up_tables(tables()); }
};

TEST(KeyedRows, ManySumsOfTablesHaveARowForEachKey) {
  TableSum<TwoTables> sum;
  for (int i = 0; i < 20'000; ++i) {
    sum.append({{{i % 3, 1}, {7, i}}, {{'a', 0.5}}});
  }
  TwoTables all = sum.take();
  EXPECT_EQ(all.rows, (std::vector<Row>{{0, 6667}, {1, 6667}, {2, 6666}, {7, 199'990'000}}));
  ASSERT_EQ(all.others.size(), 1u);
  EXPECT_EQ(all.others[0].sum, 10'000);
  EXPECT_TRUE(sum.take().rows.empty());
}

}  // namespace
}  // namespace slackline
