#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "formats/otf2/definitions.h"
#include "trace/trace_builder.h"

namespace slackline::otf2 {

/// A communicator as the archive's records mean it.
struct CommView {
  std::uint32_t id = kCommNull;  ///< in the Trace
};

/// Who the ranks are, and what the archive's numbers for communicators and regions mean in the
/// Trace. Read by all ranks' readers at once.
struct Job {
  struct Rank {
    std::vector<std::uint64_t> locations;  ///< the one that MPI knows first, then its threads
    std::uint64_t events = 0;              ///< of these, as the definitions say
    std::string host;
  };

  Definitions definitions;
  std::unordered_map<std::uint64_t, std::size_t> location_index;  ///< in definitions.locations
  std::vector<Rank> ranks;
  std::unordered_map<std::uint32_t, CommView> comms;
  std::vector<std::string> counters;  ///< metrics that a Trace can keep: names
  /// Per class of metrics and member: index into `counters`, kNoCounter.
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> metrics;
  static constexpr std::uint32_t kNoCounter = 0xffffffffu;
  bool counts_pairs = false;  ///< sizes of collectives are counted as Score-P does
  bool own = false;           ///< written by Slackline: attributes say what OTF2's records cannot

  /// Nanoseconds since the archive's zero.
  std::int64_t time_ns(std::uint64_t ticks) const;
};

/// Finds the ranks.
Job describe_job(Definitions definitions);

/// A Trace without calls: communicators, which are given to `job` too, and facts of the recording.
TraceBuilder make_trace(Job& job);

}  // namespace slackline::otf2
