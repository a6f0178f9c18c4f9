#pragma once

#include <cstdint>
#include <span>

#include "analysis/efficiency/ideal_replay.h"
#include "calls/run_part.h"
#include "calls/run_span.h"
#include "trace/trace.h"

namespace slackline {

/// Where a rank's clock on the ideal network is at some moment of the run: inside of a call or of a
/// computation it goes on evenly.
struct IdealMark {
  bool known = false;  ///< false: the moment is in another part of the run
  std::int64_t before_ns = 0;
  std::int64_t after_ns = 0;
  double part = 0;  ///< of the way from `before_ns` to `after_ns`

  double at_ns() const;
  void move_by(std::int64_t ns);
};
/// At a time of the run. Logarithmic.
IdealMark ideal_mark(const RankCalls& calls, const IdealRun& ideal, std::int32_t rank,
                     std::int64_t time_ns);

/// From where to where an interval of the run goes, on a rank's clock on the ideal network.
struct IdealExtent {
  IdealMark begin{};
  IdealMark end{};
};

/// As much of it as `part` of the run, which `calls` and `ideal` are, tells. `ideal` has to know
/// that rank's times only; `run` is the whole one. Logarithmic; O(calls) without MPI_Init or
/// MPI_Finalize.
IdealExtent ideal_extent(const RankCalls& calls, const IdealRun& ideal, std::int32_t rank,
                         const RunSpan& run, const TimeInterval& interval,
                         const RunPart& part = {});
/// An interval's length on the ideal network, of all ranks that have calls: what the rank needs for
/// its part of it that needs longest there, or of RunSpan::analysed, which a model predicts, from
/// the first rank's begin to the last one's end. No rank computes longer than that.
std::int64_t ideal_length(std::span<const IdealExtent> ranks, const RunSpan& run,
                          const TimeInterval& interval);

}  // namespace slackline
