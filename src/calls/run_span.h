#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "trace/trace.h"

namespace slackline {

/// A stretch of a run, in the trace's own time.
struct TimeInterval {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;

  /// Never negative, also where clocks make the end precede the begin.
  std::int64_t length_ns() const { return std::max<std::int64_t>(0, end_ns - begin_ns); }
  bool operator==(const TimeInterval&) const = default;
};

/// One rank's part of a run.
struct RankSpan {
  TimeInterval whole;  ///< from its start to its stop, MPI_Init and MPI_Finalize included
  /// From its return from MPI_Init, or its start without one, to its entry into MPI_Finalize, or
  /// its stop without one.
  TimeInterval analysed;
  /// The calls [first_call, last_call) lie in the analysed interval.
  std::size_t first_call = 0;
  std::size_t last_call = 0;
};

/// When a run begins and ends. Every analysis takes its begin and its end from here. Ranks without
/// calls have no part in it; of a trace without any calls all is 0.
struct RunSpan {
  /// What ends the intervals, where any rank has it; else the ranks' recordings do.
  struct Ends {
    bool init = false;
    bool finalize = false;
  };
  Ends ends;

  TimeInterval whole;  ///< from the first rank's start to the last rank's stop
  /// From the first return from MPI_Init to the last entry into MPI_Finalize: what a model predicts
  /// and a simulation re-enacts. Time 0 of a Schedule and of a Simulation is its begin.
  TimeInterval analysed;
  /// From the last return from MPI_Init to the first entry into MPI_Finalize, when all ranks are in
  /// the program: what measured figures are computed over. Where ranks have less than half of
  /// `analysed` in common, as when some are started during the run, all of `analysed`.
  TimeInterval common;

  /// How far into the run the analysed interval begins.
  std::int64_t lead_ns() const {
    return std::max<std::int64_t>(0, analysed.begin_ns - whole.begin_ns);
  }
};

/// Which part of a run measured figures are of.
enum class AnalysedExtent : std::uint8_t { common, program, asked };
/// "common", "program" or "asked".
std::string_view to_string(AnalysedExtent extent);
/// "from the last return from MPI_Init to the first entry into MPI_Finalize"; of a run without
/// these, "from the start of the recording to its end".
std::string meaning(AnalysedExtent extent, const RunSpan::Ends& ends);
/// Where `interval` is both RunSpan::common and RunSpan::analysed, the latter counts.
AnalysedExtent extent_of(const RunSpan& run, const TimeInterval& interval);

/// Constant for a rank whose first call is MPI_Init and whose last one is MPI_Finalize, else
/// O(calls).
RankSpan rank_span(const RankCalls& calls);
/// The ranks' together.
RunSpan run_span(const Trace& trace);

/// What a rank adds to the span of the run.
struct RankExtent {
  RankSpan span;
  std::uint64_t calls = 0;
};
RankExtent rank_extent(const RankCalls& calls);
/// The same of ranks that need not be in one trace.
RunSpan run_span(std::span<const RankExtent> ranks);

}  // namespace slackline
