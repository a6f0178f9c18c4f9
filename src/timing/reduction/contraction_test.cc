#include "timing/reduction/contraction.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace slackline {
namespace {

/// Two costs of which neither dominates the other where they differ; counts the comparisons.
struct CountedForm {
  static inline std::uint64_t compared = 0;
  std::int64_t one = 0;
  std::int64_t other = 0;

  CountedForm& operator+=(const CountedForm& o) {
    one += o.one;
    other += o.other;
    return *this;
  }
  bool dominates(const CountedForm& o) const {
    ++compared;
    return one >= o.one && other >= o.other;
  }
};

struct CountingSink {
  std::uint64_t edges = 0;
  void edge(std::uint32_t, const CountedForm&) { ++edges; }
  void node(std::uint32_t, std::uint32_t) {}
};

/// Comparisons for a run that ends with `ranks` ranks none of which is surely the last.
std::uint64_t comparisons(std::int64_t ranks) {
  CountedForm::compared = 0;
  CountingSink sink;
  Contraction<CountedForm, CountingSink> contraction(sink);
  contraction.open();
  for (std::int64_t r = 0; r < ranks; ++r) contraction.from_start({r, ranks - r});
  contraction.close_last();
  EXPECT_EQ(sink.edges, ranks);
  return CountedForm::compared;
}

// As of many transfers that a fence waits for, each later than the one before. What is dropped is
// not walked over again.
TEST(Contraction, ComparesTermsThatDominateEachOtherOnce) {
  CountedForm::compared = 0;
  CountingSink sink;
  Contraction<CountedForm, CountingSink> contraction(sink);
  contraction.open();
  for (std::int64_t i = 0; i < 1000; ++i) contraction.from_start({i, i});
  contraction.close_last();
  EXPECT_EQ(sink.edges, 1U);
  EXPECT_EQ(CountedForm::compared, 2 * 999U);
}

TEST(Contraction, ComparesInProportionToTheRanks) {
  EXPECT_LE(comparisons(4000), 5 * comparisons(1000));
}

}  // namespace
}  // namespace slackline
