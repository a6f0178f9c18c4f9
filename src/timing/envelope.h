#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "timing/makespan.h"

namespace slackline {

/// One linear piece of T over [from, to].
struct EnvelopePiece {
  Ticks from;
  Ticks to;
  PathLine line;
};

/// T over an interval as an exact list of linear pieces, ascending; neighbours share a breakpoint
/// (a critical value of the parameter) and differ in slope.
struct Envelope {
  std::vector<EnvelopePiece> pieces;
  /// T lies nowhere more than this many ticks above the pieces, and never below. 0: they are all.
  double gap_ticks = 0;
  /// EnvelopeEffort::stop said so before all pieces were found.
  bool stopped = false;

  /// Where pieces meet: all critical values inside the interval.
  std::vector<Ticks> breakpoints() const;
};

/// All pieces of T in [from, to], to > from. About two passes a breakpoint.
Envelope compute_envelope(MakespanFunction& makespan, const Ticks& from, const Ticks& to);

/// How far to look for pieces: for all of them, as long as no more than `passes` passes have been
/// made; from then on only where T may lie above the pieces by more than `error` of its growth over
/// the interval.
struct EnvelopeEffort {
  std::size_t passes = 0;
  double error = 0;
  /// Asked between passes, by several threads: should the search end with what it has? Empty: no.
  std::function<bool()> stop{};
};
/// For all pieces, whatever it takes.
inline constexpr std::size_t kAllPieces = std::numeric_limits<std::size_t>::max();

/// The same with less effort. All pieces are lines of T. Beyond `effort.passes` about
/// 1 / sqrt(effort.error) passes.
Envelope compute_envelope(MakespanFunction& makespan, const Ticks& from, const Ticks& to,
                          const EnvelopeEffort& effort);

}  // namespace slackline
