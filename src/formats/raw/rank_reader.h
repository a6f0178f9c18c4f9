#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/raw/call_frames.h"
#include "formats/raw/clock_map.h"
#include "formats/raw/communicators.h"
#include "formats/raw/persistent_collectives.h"
#include "formats/raw/rank_files.h"
#include "trace/samples.h"
#include "trace/trace.h"

namespace slackline::raw {

/// A region event that still names its region by text: the trace's numbers are given serially.
struct NamedRegionEvent {
  std::int64_t time_ns;
  std::string name;
  std::uint32_t before_call;
  bool enter;
};

/// What counters gained in the computation before a call, by enum slk_counter.
struct CounterReading {
  std::uint32_t call;
  std::array<std::uint64_t, SLK_COUNTER_COUNT> gained;
};

struct RankResult {
  RankCallsBuilder calls;
  std::vector<PersistentStart> persistent;  ///< by call
  std::vector<NamedRegionEvent> regions;
  std::vector<Sample> samples;
  std::vector<CounterReading> counters;  ///< by call
  Findings findings;
};

/// Turns one rank's records into calls: world ranks, global communicators, receives with what they
/// got, times of rank 0's clock minus `zero_ns`. Calls that never returned last until the job
/// ended, at `end_ns` of that clock. Independent of other ranks.
RankResult read_rank(const RankFiles& rank, const CommViews& views, const CallFrames& frames,
                     const Trace& trace, const ClockMap& clock, std::int64_t zero_ns,
                     std::int64_t end_ns);

}  // namespace slackline::raw
