#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace slackline {

/// Some calls of a rank, those after one another, and the user regions before each of them; behind
/// the last call what is left of the regions. What several threads write of one rank.
struct SlicePiece {
  std::int32_t rank = 0;
  std::size_t first_call = 0;
  std::size_t end_call = 0;
  bool is_first = true;  ///< of its rank
  bool is_last = true;
  std::size_t next_region = 0;        ///< event that comes next
  std::vector<std::uint32_t> open{};  ///< regions that were entered before, the innermost last
};

/// A piece's calls and user regions in the order of a timeline of nested slices: visit_call(i) for
/// each call, visit_region(time, id, enter) for regions, which always nest: leaving one that is not
/// the innermost leaves those inside it too; what is left without being entered is skipped; what is
/// still open at the end is left then. `piece` is left where the next one goes on.
template <class VisitCall, class VisitRegion>
void for_each_slice(const RankCalls& calls, SlicePiece& piece, VisitCall visit_call,
                    VisitRegion visit_region) {
  const auto events = calls.regions();
  std::size_t& next = piece.next_region;
  std::vector<std::uint32_t>& open = piece.open;
  const auto regions_before = [&](std::size_t call) {
    for (; next < events.size() && events[next].before_call <= call; ++next) {
      const RegionEvent& event = events[next];
      if (event.enter) {
        open.push_back(event.region);
        visit_region(event.time_ns, event.region, true);
        continue;
      }
      std::size_t depth = open.size();
      while (depth > 0 && open[depth - 1] != event.region) --depth;
      if (depth == 0) continue;
      for (; open.size() >= depth; open.pop_back()) visit_region(event.time_ns, open.back(), false);
    }
  };
  for (std::size_t i = piece.first_call; i < piece.end_call; ++i) {
    regions_before(i);
    visit_call(i);
  }
  if (!piece.is_last) return;
  regions_before(events.empty() ? 0 : UINT32_MAX);
  for (; !open.empty(); open.pop_back()) visit_region(calls.stop_ns(), open.back(), false);
}

/// All of a trace in pieces, rank by rank; each rank has at least one. Linear, ranks in threads.
std::vector<SlicePiece> slice_pieces(const Trace& trace);

}  // namespace slackline
