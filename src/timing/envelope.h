#pragma once

#include <cstddef>
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

  /// Where pieces meet: all critical values inside the interval.
  std::vector<Ticks> breakpoints() const;
};

/// All pieces of T in [from, to], to > from. About two passes a breakpoint.
Envelope compute_envelope(MakespanFunction& makespan, const Ticks& from, const Ticks& to);

/// The same, but gives up (empty) after that many passes.
std::optional<Envelope> compute_envelope_within(MakespanFunction& makespan, const Ticks& from,
                                                const Ticks& to, std::size_t max_passes);

}  // namespace slackline
