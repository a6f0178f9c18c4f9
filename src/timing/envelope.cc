// All breakpoints of a convex piecewise linear function by chord bisection (Eisner and Severance
// 1976).
//
// Take the lines of T at both ends of an interval. If they are the same line, T is that line in
// between, by convexity. If not, they cross inside; evaluate T at the crossing. If T is no higher
// there than the lines, they are neighbours and the crossing is a breakpoint. Otherwise the line
// found there is a new one, and the two halves are searched in the same way. Every pass finds a
// breakpoint or a new piece: at most 2k + 1 passes for k breakpoints. Crossings are rational and
// evaluated exactly, so no breakpoint is missed or counted twice.

#include "timing/envelope.h"

#include <limits>

#include "base/error.h"

namespace slackline {
namespace {

struct Open {
  PathLine left;
  PathLine right;
};

Ticks crossing(const PathLine& a, const PathLine& b) {
  return make_ticks(a.intercept - b.intercept, static_cast<Int128>(b.slope) - a.slope);
}

}  // namespace

std::vector<Ticks> Envelope::breakpoints() const {
  std::vector<Ticks> result;
  for (std::size_t i = 1; i < pieces.size(); ++i) result.push_back(pieces[i].from);
  return result;
}

Envelope compute_envelope(MakespanFunction& makespan, const Ticks& from, const Ticks& to) {
  return *compute_envelope_within(makespan, from, to, std::numeric_limits<std::size_t>::max());
}

std::optional<Envelope> compute_envelope_within(MakespanFunction& makespan, const Ticks& from,
                                                const Ticks& to, std::size_t max_passes) {
  expects(from < to, "an interval has a length");
  Envelope envelope;
  const std::uint64_t passes_before = makespan.passes();
  const PathLine first = makespan.line_at(from, Side::right);
  const PathLine last = makespan.line_at(to, Side::left);
  // Intervals still to be searched, the leftmost on top; pieces come out in order.
  std::vector<Open> open{{first, last}};
  Ticks reached = from;
  while (!open.empty()) {
    if (makespan.passes() - passes_before >= max_passes) return std::nullopt;
    const Open part = open.back();
    open.pop_back();
    if (part.left == part.right) continue;
    const Ticks x = crossing(part.left, part.right);
    const PathLine highest = makespan.line_at(x);
    if (highest.scaled_at(x) == part.left.scaled_at(x)) {
      envelope.pieces.push_back({reached, x, part.left});
      reached = x;
      continue;
    }
    open.push_back({highest, part.right});
    open.push_back({part.left, highest});
  }
  envelope.pieces.push_back({reached, to, last});
  return envelope;
}

}  // namespace slackline
