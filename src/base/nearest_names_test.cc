#include "base/nearest_names.h"

#include <gtest/gtest.h>

namespace slackline {
namespace {

TEST(NearestNames, ComeWithTheFewestChangesFirst) {
  EXPECT_EQ(nearest_names("slove", {"main", "solve", "solver", "", "solve"}),
            "solve, solver, main");
  EXPECT_EQ(nearest_names("x", {}), "");
  EXPECT_EQ(nearest_names("f", {"f6", "f5", "f4", "f3", "f2", "f1"}), "f1, f2, f3, f4, f5");
}

}  // namespace
}  // namespace slackline
