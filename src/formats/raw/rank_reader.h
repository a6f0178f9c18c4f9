#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/raw/call_frames.h"
#include "formats/raw/clock_map.h"
#include "formats/raw/communicators.h"
#include "formats/raw/gap_pauses.h"
#include "formats/raw/rank_files.h"
#include "formats/raw/raw_file.h"
#include "parallel/process_group.h"
#include "trace/parallel_regions.h"
#include "trace/rank_range.h"
#include "trace/samples.h"
#include "trace/trace.h"
#include "trace/trace_builder.h"

namespace slackline::raw {

/// A call that starts a persistent collective.
struct PersistentStart {
  std::uint32_t call;    ///< of its rank
  std::uint64_t number;  ///< of the collective among the persistent ones of its communicator
};

/// Lets starts of persistent collectives match by what they start. MPI lets each rank start those
/// of a communicator in an order of its own, also among its other collectives, while analyses take
/// the k-th collectives of all members for one. Where the orders differ, each persistent collective
/// moves to a communicator of its own with the same members. `starts` are by rank, and by call.
/// Several processes call it together, each with the calls and starts of the ranks `own` only; in
/// all of them the trace gets the same communicators. Linear in the calls where there are any
/// starts.
void separate_persistent_collectives(const std::vector<std::vector<PersistentStart>>& starts,
                                     RankRange own, TraceBuilder& trace, ProcessGroup& group);

/// What recording took, from the records SLK_REC_CALL_COST of a rank's threads.
class RecordingCostSums {
 public:
  explicit RecordingCostSums(std::span<const Record> records);

  bool known() const { return all_.calls > 0; }
  /// The mean of each operation; operations of which no call was measured cost what the others do.
  std::vector<RecordingCost> by_operation() const;

 private:
  struct Sums {
    double before_ns = 0;
    double after_ns = 0;
    double calls = 0;
    RecordingCost mean() const;
  };
  std::array<Sums, SLK_OPERATION_COUNT> of_operation_{};
  Sums all_;
};

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

struct RegionsRead {
  ParallelRegions regions;
  std::vector<RegionLoss> losses;  ///< one for each region
};

/// The parallel regions of a rank whose calls are `calls`, at times of `clock` minus `zero_ns`, in
/// order of their ends. Their frames are the program's, not those of OpenMP's runtime. What was not
/// recorded of them, or is damaged, are Findings. O(records).
RegionsRead read_parallel_regions(const RankFiles& rank, const CallFrames& frames,
                                  const CallTree& tree, const ClockMap& clock, std::int64_t zero_ns,
                                  const RankCalls& calls, Findings& findings);

/// What a rank's calls say of the processors that it had.
struct ProcessorUse {
  std::uint64_t threads;  ///< those of OpenMP's largest team included
  std::int64_t computation_ns;
  std::int64_t off_processor_ns;
};
ProcessorUse processor_use(const RankCalls& calls);

/// Puts in front of the trace's Findings what the recording says of the processors that its ranks
/// had: more ranks than processors on a host, and how long computation was off them.
void note_processors(std::span<const RankFiles> ranks, std::span<const ProcessorUse> uses,
                     TraceBuilder& trace);

}  // namespace slackline::raw
