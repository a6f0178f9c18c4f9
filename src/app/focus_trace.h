#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "calls/run_span.h"

namespace slackline {

/// What a trace has after all but its focus regions was taken out.
struct FocusTrace {
  std::uint64_t calls = 0;
  std::uint64_t dropped_calls = 0;
  std::vector<TimeInterval>
      kept{};               ///< from the start of the run: merged, the first begin to the last end
  std::string why_whole{};  ///< why nothing could be dropped; empty: it was
};

/// Replaces a native trace by one of the calls in the representative interval of each of its phases
/// (find_focus_intervals()), and of what lies before MPI_Init's return and from MPI_Finalize on.
/// Each interval is widened to the nearest collectives over which nothing is open, as between
/// stretches, so that every message and collective in it is complete. Where calls were taken out
/// there is a pause, and a Finding says how many they were. Throws Error.
FocusTrace reduce_to_focus(const std::filesystem::path& trace);

}  // namespace slackline
