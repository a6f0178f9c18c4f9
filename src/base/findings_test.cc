#include "base/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slackline {
namespace {

constexpr FindingKind kLost{"lost_block", Severity::data_loss, "A block could not be read."};
constexpr FindingKind kOdd{"odd_order", Severity::notice, "Records were out of order."};

TEST(Findings, counts_and_keeps_the_first_examples) {
  Findings findings;
  EXPECT_TRUE(findings.empty());
  for (int i = 0; i < 5; ++i) findings.add(kLost, "block " + std::to_string(i));
  findings.add(kOdd, "", 7);
  EXPECT_EQ(findings.count(kLost), 5u);
  EXPECT_EQ(findings.count(kOdd), 7u);
  ASSERT_EQ(findings.entries().size(), 2u);
  EXPECT_THAT(findings.entries()[0].examples,
              testing::ElementsAre("block 0", "block 1", "block 2"));
}

TEST(Findings, says_an_example_once) {
  Findings findings, more;
  for (const char* example : {"rank 0", "rank 0", "rank 1"}) {
    findings.add(kOdd, example);
    more.add(kOdd, example);
  }
  findings.merge(more);
  EXPECT_EQ(findings.count(kOdd), 6u);
  EXPECT_THAT(findings.entries()[0].examples, testing::ElementsAre("rank 0", "rank 1"));
}

TEST(Findings, merging_adds_counts) {
  Findings a;
  Findings b;
  a.add(kLost);
  b.add(kLost, "x");
  b.add(kOdd);
  a.merge(b);
  EXPECT_EQ(a.count(kLost), 2u);
  EXPECT_EQ(a.count(kOdd), 1u);
  EXPECT_EQ(to_string(a.entries()[0].severity), "data_loss");
}

}  // namespace
}  // namespace slackline
