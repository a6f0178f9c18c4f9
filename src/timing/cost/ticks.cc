#include "timing/cost/ticks.h"

#include <utility>

#include "base/error.h"

namespace slackline {
namespace {

Int128 absolute(Int128 x) {
  return x < 0 ? -x : x;
}

Int128 gcd128(Int128 a, Int128 b) {
  a = absolute(a);
  b = absolute(b);
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}

}  // namespace

Ticks make_ticks(Int128 numerator, Int128 denominator) {
  expects(denominator != 0, "a rational has a denominator");
  if (denominator < 0) {
    numerator = -numerator;
    denominator = -denominator;
  }
  const Int128 common = numerator == 0 ? denominator : gcd128(numerator, denominator);
  return {numerator / common, denominator / common};
}

/// By continued fractions: whole parts first, then the rests upside down.
bool operator<(const Ticks& a, const Ticks& b) {
  const auto floor_of = [](const Ticks& t) {
    return t.numerator / t.denominator - (t.numerator % t.denominator < 0 ? 1 : 0);
  };
  const Int128 whole_a = floor_of(a);
  const Int128 whole_b = floor_of(b);
  if (whole_a != whole_b) return whole_a < whole_b;
  const Int128 rest_a = a.numerator - whole_a * a.denominator;
  const Int128 rest_b = b.numerator - whole_b * b.denominator;
  if (rest_a == 0 || rest_b == 0) return rest_a == 0 && rest_b != 0;
  return Ticks{b.denominator, rest_b} < Ticks{a.denominator, rest_a};
}

}  // namespace slackline
