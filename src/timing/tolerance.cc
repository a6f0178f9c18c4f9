// The largest x with T(x) <= B, by Newton's iteration on a convex function.
//
// A line of T lies nowhere above T, so the x at which it reaches B lies right of the solution or on
// it. Start with the line that reaches B first, of all lines known (the base's; when T is flat
// there, the one that T follows in the end), go to where it reaches B, take the line of T there,
// and so on: the values fall towards the solution and the slopes with them, and as there are
// finitely many lines the iteration ends with the line on which the solution lies. Two or three
// steps are common, because a line is left for good once it has been passed.
//
// To keep numbers small the lines are taken at the next whole tick above. The solution x of the
// last line is exact if T is that line on both sides of x (by convexity then also at x); otherwise
// T is taken at x itself. LLAMP section II-D2 asks a linear program the same question.

#include "timing/tolerance.h"

#include "base/error.h"

namespace slackline {
namespace {

Int128 ceiling(const Ticks& x) {
  return (x.numerator + x.denominator - 1) / x.denominator;
}

Error cannot_be_met() {
  return usage_error("the bound cannot be met", "the run takes longer even at zero",
                     "Allow a larger degradation.");
}

/// A bound of numerator / denominator ticks on T.
struct Bound {
  Int128 numerator;
  Int128 denominator;

  Ticks reached_by(const PathLine& line) const {
    return make_ticks(numerator - line.intercept * denominator, line.slope * denominator);
  }
  bool exceeded_by(const PathLine& line, const Ticks& x) const {
    if (line.slope == 0) return line.intercept * denominator > numerator;
    return reached_by(line) < x;  // no product of three factors, which could overflow
  }
};

/// The known line that reaches the bound first; slope 0 if none ever does.
PathLine first_to_reach(const MakespanFunction& makespan, const Bound& bound) {
  PathLine best;
  for (const auto& e : makespan.evaluations()) {
    if (e.line.slope == 0) continue;
    if (best.slope == 0 || bound.reached_by(e.line) < bound.reached_by(best)) best = e.line;
  }
  return best;
}

/// Is T known to be `line` around x?
bool holds_around(const MakespanFunction& makespan, const PathLine& line, const Ticks& x) {
  bool before = false;
  bool after = false;
  for (const auto& e : makespan.evaluations()) {
    if (!(e.line == line)) continue;
    before = before || !(x < e.x);
    after = after || !(e.x < x);
  }
  return before && after;
}

}  // namespace

std::optional<Ticks> largest_within(MakespanFunction& makespan, Int128 bound_numerator,
                                    Int128 bound_denominator) {
  const Bound bound{bound_numerator, bound_denominator};
  const PathLine at_base = makespan.line_at(makespan.base());
  if (at_base.slope == 0) {
    if (bound.exceeded_by(at_base, makespan.base())) throw cannot_be_met();
    makespan.asymptote();
  }
  PathLine line = first_to_reach(makespan, bound);
  if (line.slope == 0) return std::nullopt;
  for (;;) {
    const Ticks x = bound.reached_by(line);
    if (x.numerator < 0) throw cannot_be_met();
    PathLine next = makespan.line_at(Ticks{ceiling(x), 1}, Side::left);
    if (!bound.exceeded_by(next, x)) {
      if (holds_around(makespan, line, x)) return x;
      next = makespan.line_at(x, Side::left);
      if (!bound.exceeded_by(next, x)) return x;
    }
    if (next.slope == 0) throw cannot_be_met();
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
