#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "calls/call_paths.h"
#include "trace/samples.h"
#include "trace/trace.h"
#include "whatif/actions.h"
#include "whatif/selection.h"

namespace slackline {

/// What divides a rank's selected computation into visits.
enum class VisitScope : std::uint8_t {
  region,      ///< visits to the selected region; all is one visit where no region was selected
  collective,  ///< stretches between two collectives of all ranks
};

/// A stretch of computation that an edit selects.
struct SelectedPiece {
  std::int32_t rank = 0;
  std::uint32_t visit = 0;   ///< number of the visit, by rank, from 0 on
  std::uint64_t number = 0;  ///< of the rank's selected pieces, from 0 on
  std::int64_t ns = 0;
  std::int64_t before_ns = 0;  ///< of the pieces of its visit before it
};

/// Computation by rank and visit.
using VisitTimes = std::vector<std::vector<std::int64_t>>;
VisitTimes visit_times(const Trace& trace, const CallPaths& paths, const Selection& selection,
                       VisitScope scope = VisitScope::region);

/// New lengths for selected computation; ranks are edited in several threads.
struct PieceLengths {
  /// In ns, not negative.
  std::function<std::int64_t(const SelectedPiece&)> of_piece;
  /// Computation to add where a visit ends that began in the selected interval, of a selected rank:
  /// on leaving the region, or before the rank's last call; null: none. In ns, not negative.
  std::function<std::int64_t(std::int32_t rank, std::uint32_t visit)> at_visit_end{};
};

/// The program with those lengths. Counts the pieces whose length changed, and what was added.
Program with_lengths(const ProgramView& program, const CallPaths& paths, const Selection& selection,
                     const PieceLengths& lengths, Change& change,
                     VisitScope scope = VisitScope::region);

/// ns * factor, to the nearest nanosecond.
std::int64_t scaled(std::int64_t ns, double factor);
/// The piece's part of its visit times `factor`: the pieces of a visit add up to the nearest
/// nanosecond of it.
std::int64_t scaled(const SelectedPiece& piece, double factor);

}  // namespace slackline
