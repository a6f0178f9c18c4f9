#include "base/sentences.h"

#include <gtest/gtest.h>

namespace slackline {
namespace {

TEST(NearestNames, ComeWithTheFewestChangesFirst) {
  EXPECT_EQ(nearest_names("slove", {"main", "solve", "solver", "", "solve"}),
            "solve, solver, main");
  EXPECT_EQ(nearest_names("x", {}), "");
  EXPECT_EQ(nearest_names("f", {"f6", "f5", "f4", "f3", "f2", "f1"}), "f1, f2, f3, f4, f5");
}

TEST(LikelyNames, DifferInFewLettersOrBeginWithWhatWasTyped) {
  const std::vector<std::string> names{"latency", "platform", "placement", "left", "interval"};
  EXPECT_EQ(likely_names("lattency", names), std::vector<std::string>{"latency"});
  EXPECT_EQ(likely_names("place", names), std::vector<std::string>{"placement"});
  EXPECT_EQ(likely_names("xyzzyplugh", names), std::vector<std::string>{});
}

TEST(LikelyNames, AreSeveralWhereTheyAreAboutAsNear) {
  EXPECT_EQ(likely_names("scel", {"scale", "seed", "sample"}),
            (std::vector<std::string>{"scale", "seed"}));
}

}  // namespace
}  // namespace slackline
