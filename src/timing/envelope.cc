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
//
// Two passes a breakpoint are too many where there are thousands. So once some dozens of values
// have not been enough, one pass over the whole interval with functions for values finds all lines
// of T (piecewise/interval_pass.cc).
//
// A part of the envelope of large graphs with many pieces may be left open. By convexity T lies
// there above both lines and below the chord between the points where they were found, so how far T
// can be from the lines is known (Burkard, Hamacher and Rote 1991): it falls with the square of the
// number of parts.

#include "timing/envelope.h"

#include <algorithm>

#include "base/error.h"
#include "base/parallel.h"

namespace slackline {
namespace {

/// From this many values on, one pass over the interval costs less than those that are to come.
constexpr std::uint64_t kFewValues = 32;

/// A line of T, and where it is T.
struct Touching {
  PathLine line;
  Ticks x;
};

/// Two lines of T, and whether there is none between them.
struct Part {
  Touching left;
  Touching right;
  bool closed;

  Part(const Touching& l, const Touching& r) : left(l), right(r), closed(l.line == r.line) {}
};

/// One pass finds all pieces: is the aim all, and have the values found so far not been enough?
bool wants_interval_pass(const EnvelopeEffort& effort, std::uint64_t values) {
  return effort.passes == kAllPieces && values >= kFewValues;
}

Ticks crossing(const PathLine& a, const PathLine& b) {
  return make_ticks(a.intercept - b.intercept, static_cast<Int128>(b.slope) - a.slope);
}

Ticks crossing(const Part& part) {
  return crossing(part.left.line, part.right.line);
}

double approximately(const Ticks& x) {
  return static_cast<double>(x.numerator) / static_cast<double>(x.denominator);
}

/// How far T can be above both lines: the chord's height over their crossing.
double gap_of(const Part& part) {
  if (part.closed) return 0;
  const double at = approximately(crossing(part));
  const double before = at - approximately(part.left.x);
  const double after = approximately(part.right.x) - at;
  const double turn =
      static_cast<double>(part.right.line.slope) - static_cast<double>(part.left.line.slope);
  return before + after > 0 ? std::max(0.0, turn * before * after / (before + after)) : 0;
}

/// Each part that was asked for, with the highest line at its crossing, is closed or becomes two.
std::vector<Part> split(const std::vector<Part>& parts, const std::vector<bool>& asked,
                        const std::vector<PathProgram::Query>& crossings,
                        const std::vector<PathLine>& highest) {
  std::vector<Part> result;
  std::size_t next = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    if (!asked[i]) {
      result.push_back(part);
      continue;
    }
    const Touching found{highest[next], crossings[next].x};
    ++next;
    if (found.line.scaled_at(found.x) == part.left.line.scaled_at(found.x)) {
      result.push_back(part);
      result.back().closed = true;
    } else {
      result.emplace_back(part.left, found);
      result.emplace_back(found, part.right);
    }
  }
  return result;
}

/// T at the right end less T at the left one.
double growth(const Part& whole) {
  const double middle = approximately(crossing(whole));
  return static_cast<double>(whole.left.line.slope) * (middle - approximately(whole.left.x)) +
         static_cast<double>(whole.right.line.slope) * (approximately(whole.right.x) - middle);
}

Envelope pieces_of(const std::vector<Part>& parts, const Ticks& from, const Ticks& to) {
  Envelope envelope;
  Ticks reached = from;
  for (const Part& part : parts) {
    if (part.left.line == part.right.line) continue;
    const Ticks x = crossing(part);
    envelope.pieces.push_back({reached, x, part.left.line});
    reached = x;
    if (!part.closed) envelope.gap_ticks = std::max(envelope.gap_ticks, gap_of(part));
  }
  envelope.pieces.push_back({reached, to, parts.back().right.line});
  return envelope;
}

Envelope envelope_of(const std::vector<PathLine>& lines, const Ticks& from, const Ticks& to) {
  Envelope envelope;
  Ticks reached = from;
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    const Ticks x = crossing(lines[i], lines[i + 1]);
    envelope.pieces.push_back({reached, x, lines[i]});
    reached = x;
  }
  envelope.pieces.push_back({reached, to, lines.back()});
  return envelope;
}

}  // namespace

std::vector<Ticks> Envelope::breakpoints() const {
  std::vector<Ticks> result;
  for (std::size_t i = 1; i < pieces.size(); ++i) result.push_back(pieces[i].from);
  return result;
}

Envelope compute_envelope(MakespanFunction& makespan, const Ticks& from, const Ticks& to) {
  return compute_envelope(makespan, from, to, {kAllPieces, 0, {}});
}

Envelope compute_envelope(MakespanFunction& makespan, const Ticks& from, const Ticks& to,
                          const EnvelopeEffort& effort) {
  expects(from < to, "an interval has a length");
  const std::uint64_t passes_before = makespan.passes();
  const PathProgram::Query ends[] = {{from, Side::right}, {to, Side::left}};
  const std::vector<PathLine> lines = makespan.lines_at(ends, kAllThreads);
  // Neighbouring lines of T that are known, in order; between two of them there may be more.
  std::vector<Part> parts{{Touching{lines[0], from}, Touching{lines[1], to}}};
  const double tolerated = parts.front().closed ? 0 : effort.error * growth(parts.front());
  const std::function<bool()> stop = effort.stop ? effort.stop : [] { return false; };
  bool tried = false;
  for (;;) {
    const bool for_all = makespan.passes() - passes_before < effort.passes;
    std::vector<bool> asked;
    std::vector<PathProgram::Query> crossings;
    for (const Part& part : parts) {
      asked.push_back(!part.closed && (for_all || gap_of(part) > tolerated));
      if (asked.back()) crossings.push_back({crossing(part), Side::right});
    }
    if (crossings.empty()) return pieces_of(parts, from, to);
    if (!tried && wants_interval_pass(effort, makespan.passes() - passes_before)) {
      tried = true;
      const auto found = makespan.lines_between(from, to, stop);
      if (found) return envelope_of(*found, from, to);
    }
    if (stop()) {
      Envelope envelope = pieces_of(parts, from, to);
      envelope.stopped = true;
      return envelope;
    }
    const std::vector<PathLine> highest = makespan.lines_at(crossings, kAllThreads);
    parts = split(parts, asked, crossings, highest);
  }
}

}  // namespace slackline
