#include "timing/reduction/contraction.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

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

// Slots 1 and 2 hold values of another contraction. New nodes go there once the values have no more
// uses: that in slot 2 has none at all. Slot 3 is left to close_in().
TEST(Contraction, ContinuesFromReservedSlots) {
  struct Sink {
    std::vector<std::uint32_t> sources{};
    std::vector<std::uint32_t> nodes{};
    void edge(std::uint32_t slot, const CountedForm&) { sources.push_back(slot); }
    void node(std::uint32_t slot, std::uint32_t) { nodes.push_back(slot); }
  };
  Sink sink;
  Contraction<CountedForm, Sink> contraction(sink, 3);
  const auto first = contraction.from_slot(1, 1);
  contraction.from_slot(2, 0);
  contraction.open();
  contraction.from(first, {1, 0});
  contraction.from_start({0, 5});
  const auto second = contraction.close(20);
  contraction.open();
  contraction.from(second, {1, 1});
  contraction.from_start({0, 5});
  const auto last = contraction.close(20);
  contraction.open();
  contraction.from(last, {1, 1});
  contraction.close_in(3);
  EXPECT_EQ(sink.nodes, (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(sink.sources, (std::vector<std::uint32_t>{1, 0, 1, 0, 2}));
  EXPECT_EQ(contraction.slots(), 4u);
}

}  // namespace
}  // namespace slackline
