#include "base/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace slackline {
namespace {

TEST(StudentT, TwoSidedProbabilityAgreesWithTheTable) {
  for (std::size_t freedom = 1; freedom <= 30; ++freedom) {
    const double p = student_t_two_sided(student_t(freedom), static_cast<double>(freedom));
    EXPECT_NEAR(p, 0.05, 0.0001) << freedom;
  }
}

// One and two degrees of freedom have closed forms.
TEST(StudentT, TwoSidedProbabilityHasItsClosedForms) {
  for (const double t : {0.0, 0.1, 1.0, 3.0, 50.0, 1e4}) {
    EXPECT_NEAR(student_t_two_sided(t, 1), 1 - 2 / std::numbers::pi * std::atan(t), 1e-10);
    EXPECT_NEAR(student_t_two_sided(-t, 2), 1 - t / std::sqrt(2 + t * t), 1e-10);
  }
  const double between = student_t_two_sided(3, 1.5);
  EXPECT_LT(between, student_t_two_sided(3, 1));
  EXPECT_GT(between, student_t_two_sided(3, 2));
}

// tan(0.45 pi) of one degree of freedom, and the tables' quantiles of 95 %.
TEST(StudentT, ProbabilitiesHaveTheirBounds) {
  EXPECT_NEAR(student_t_of(0.1, 1), std::tan(0.45 * std::numbers::pi), 1e-8);
  EXPECT_NEAR(student_t_of(0.1, 4), 2.131847, 1e-6);
  EXPECT_NEAR(student_t_of(0.1, 30), 1.697261, 1e-6);
  EXPECT_NEAR(student_t_two_sided(student_t_of(1e-6, 2.5), 2.5), 1e-6, 1e-12);
}

}  // namespace
}  // namespace slackline
