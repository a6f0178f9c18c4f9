// All breakpoints of a convex piecewise linear function by chord bisection (Eisner and Severance
// 1976).
//
// Take the lines of T at both ends of an interval. If they are the same line, T is that line in
// between, by convexity. If not, they cross inside; evaluate T at the crossing. If T is no higher
// there than the lines, they are neighbours and the crossing is a breakpoint. Otherwise the line
// found there is a new one, and the two halves are searched in the same way. Every pass finds a
// breakpoint or a new piece: at most 2k + 1 values for k breakpoints. All open parts are asked for
// together, so that eight values share a pass and passes share the threads. Crossings are rational
// and evaluated exactly, so no breakpoint is missed or counted twice.

#include "timing/envelope.h"

#include <limits>

#include "base/error.h"

namespace slackline {
namespace {

constexpr unsigned kAllThreads = 0;

/// Two lines of T, and whether there is none between them.
struct Open {
  PathLine left;
  PathLine right;
  bool closed;
};

Ticks crossing(const PathLine& a, const PathLine& b) {
  return make_ticks(a.intercept - b.intercept, static_cast<Int128>(b.slope) - a.slope);
}

/// Each open part, with the highest line at its crossing, is closed or becomes two.
std::vector<Open> split(const std::vector<Open>& parts,
                        const std::vector<PathProgram::Query>& crossings,
                        const std::vector<PathLine>& highest) {
  std::vector<Open> result;
  std::size_t next = 0;
  for (const Open& part : parts) {
    if (part.closed) {
      result.push_back(part);
      continue;
    }
    const Ticks& x = crossings[next].x;
    const PathLine& line = highest[next++];
    if (line.scaled_at(x) == part.left.scaled_at(x)) {
      result.push_back({part.left, part.right, true});
    } else {
      result.push_back({part.left, line, part.left == line});
      result.push_back({line, part.right, line == part.right});
    }
  }
  return result;
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
  const std::uint64_t passes_before = makespan.passes();
  const PathProgram::Query ends[] = {{from, Side::right}, {to, Side::left}};
  const std::vector<PathLine> lines = makespan.lines_at(ends, kAllThreads);
  // Neighbouring lines of T that are known, in order; between two of them there may be more.
  std::vector<Open> parts{{lines[0], lines[1], lines[0] == lines[1]}};
  for (;;) {
    std::vector<PathProgram::Query> crossings;
    for (const Open& part : parts) {
      if (!part.closed) crossings.push_back({crossing(part.left, part.right), Side::right});
    }
    if (crossings.empty()) break;
    if (makespan.passes() - passes_before >= max_passes) return std::nullopt;
    const std::vector<PathLine> highest = makespan.lines_at(crossings, kAllThreads);
    parts = split(parts, crossings, highest);
  }
  Envelope envelope;
  Ticks reached = from;
  for (const Open& part : parts) {
    if (part.left == part.right) continue;
    const Ticks x = crossing(part.left, part.right);
    envelope.pieces.push_back({reached, x, part.left});
    reached = x;
  }
  envelope.pieces.push_back({reached, to, lines[1]});
  return envelope;
}

}  // namespace slackline
