#pragma once

#include <cstddef>

namespace slackline {

/// The 97.5 % quantile of Student's t distribution, for two-sided intervals of 95 %. Above 30
/// degrees of freedom that of 30, which is slightly larger; `freedom` 0 counts as 1.
double student_t(std::size_t freedom);

/// The probability that a value of Student's t distribution with `freedom` (positive, not
/// necessarily whole) degrees of freedom is at least as far from 0 as `t`. To about ten digits.
double student_t_two_sided(double t, double freedom);

/// The `t` of which student_t_two_sided() is `p`, which is between 0 and 1. To about ten digits.
double student_t_of(double p, double freedom);

}  // namespace slackline
