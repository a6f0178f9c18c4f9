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

/// The pieces that an edit selects, kept for edits that differ only in what they make of them. 16
/// bytes a piece.
class SelectedPieces {
 public:
  /// Only the selection of `edit` is read. Linear in calls. Throws usage Error as Selection.
  SelectedPieces(const Edit& edit, const ProgramView& program, VisitScope scope);

  const VisitTimes& times() const { return times_; }
  /// By how much the program's computation changes, ns before each call by rank; `lengths` add
  /// nothing where visits end.
  std::vector<std::vector<std::int64_t>> changes(const PieceLengths& lengths) const;

 private:
  struct Piece {
    std::uint32_t before_call;
    std::uint32_t visit;
    std::int64_t ns;
  };
  const Trace& trace_;
  std::vector<std::vector<Piece>> pieces_;  // by rank
  VisitTimes times_;
};

/// What the actions scale, limit and balance make of the pieces that they select. Throws usage
/// Error for others, and for wrong arguments.
PieceLengths piece_lengths(const Edit& edit, const Trace& trace, const VisitTimes& times);
/// The same of one of them each.
PieceLengths scaled_lengths(const Edit& edit);
PieceLengths limited_lengths(const Edit& edit, const VisitTimes& times);
PieceLengths balanced_lengths(const Edit& edit, const Trace& trace, const VisitTimes& times);

/// ns * factor, to the nearest nanosecond.
std::int64_t scaled(std::int64_t ns, double factor);
/// The piece's part of its visit times `factor`: the pieces of a visit add up to the nearest
/// nanosecond of it.
std::int64_t scaled(const SelectedPiece& piece, double factor);

}  // namespace slackline
