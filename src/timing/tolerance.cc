// The largest x with T(x) <= B, by Newton's iteration on a convex function.
//
// A line of T lies nowhere above T, so the x at which it reaches B lies right of the solution or on
// it. Take the line at the base value (or, when T is flat there, the line T follows in the end), go
// to where it reaches B, take the line of T there, and so on: the values fall towards the solution
// and the slopes with them, and as there are finitely many lines the iteration ends with the line
// on which the solution lies. Two or three steps are common because a line is left for good once it
// has been passed.
//
// To keep numbers small the lines are taken at the next whole tick above; the last step is checked
// at the exact rational value. LLAMP section II-D2 asks a linear program the same question.

#include "timing/tolerance.h"

#include "base/error.h"

namespace slackline {
namespace {

Int128 ceiling(const Ticks& x) {
  return (x.numerator + x.denominator - 1) / x.denominator;
}

}  // namespace

std::optional<Ticks> largest_within(MakespanFunction& makespan, Int128 bound,
                                    Int128 bound_denominator) {
  const auto reaches_bound = [&](const PathLine& line) {
    return make_ticks(bound - line.intercept * bound_denominator, line.slope * bound_denominator);
  };
  const auto exceeds = [&](const PathLine& line, const Ticks& x) {
    return line.scaled_at(x) * bound_denominator > bound * x.denominator;
  };
  PathLine line = makespan.line_at(makespan.base());
  if (line.slope == 0) line = makespan.asymptote();
  if (line.slope == 0) return std::nullopt;
  bool exact = false;
  for (;;) {
    const Ticks x = reaches_bound(line);
    if (x.numerator < 0) {
      throw usage_error("the bound cannot be met", "the run takes longer even at zero",
                        "Allow a larger degradation.");
    }
    const Ticks probe = exact ? x : Ticks{ceiling(x), 1};
    const PathLine next = makespan.line_at(probe, Side::left);
    if (!exceeds(next, x)) {
      if (exact || probe == x) return x;
      exact = true;
      continue;
    }
    line = next;
  }
}

Tolerance find_tolerance(MakespanFunction& makespan, std::int64_t degradation_ppm) {
  constexpr std::int64_t kMillion = 1'000'000;
  const Ticks base = makespan.base();
  const PathLine line = makespan.line_at(base);
  const Int128 bound = line.scaled_at(base) * (kMillion + degradation_ppm);
  const Int128 denominator = base.denominator * kMillion;
  Tolerance result;
  result.degradation_ppm = degradation_ppm;
  result.bound_ns =
      makespan.value_ns(line, base) * (1.0 + static_cast<double>(degradation_ppm) / 1e6);
  result.value = largest_within(makespan, bound, denominator);
  return result;
}

}  // namespace slackline
