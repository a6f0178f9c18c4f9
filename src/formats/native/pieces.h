#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "formats/native/contents.h"
#include "trace/samples.h"
#include "trace/trace.h"

namespace slackline {

/// A native trace of which any part can be read, any number of times, by several threads. Of a
/// damaged part nothing is used: who meets one reads the whole trace (read_native()), which says
/// what is lost.
class NativePieces {
 public:
  /// Keeps `file`; `release`, if given, is told what has been read of it, by several threads.
  /// Throws Error as read_native().
  NativePieces(std::span<const std::byte> file, std::string_view name,
               native::Release release = {});

  /// All but calls and what belongs to the time between them.
  const Trace& job() const { return contents_.description.trace; }
  /// How many calls each rank has.
  std::span<const std::uint64_t> calls() const { return contents_.description.calls; }
  std::uint64_t call_count() const {
    return std::reduce(calls().begin(), calls().end(), std::uint64_t{0});
  }
  std::int64_t sampling_ns() const { return contents_.description.sampling_ns; }
  /// Whether nothing is damaged or unknown, as far as can be told without reading calls.
  bool complete() const { return contents_.findings.entries().empty(); }

  /// About how much memory the details of all ranks take together, at most.
  std::uint64_t details_bytes() const;

  /// Calls visit(calls) for each of the rank's blocks in order, with its region events. False where
  /// one is damaged or missing. At least 10 M calls/s.
  bool for_each_block(std::int32_t rank, const std::function<void(const RankCalls&)>& visit) const;
  /// Appends calls [from, to) of the rank to `out`, which must be empty, and to `events` the region
  /// events before and between them, and after them if the rank has no further calls. Both are
  /// numbered from 0. False where any is damaged or missing. Decodes every block that has some.
  bool append_calls(std::int32_t rank, std::uint64_t from, std::uint64_t to, RankCallsBuilder& out,
                    std::vector<RegionEvent>& events) const;
  /// Gives `out` the rank's pauses, counters, OpenMP regions, recording costs and stop, as of all
  /// of its calls, the last of which ends at `last_end_ns`. False where they are damaged.
  bool read_details(std::int32_t rank, std::int64_t last_end_ns, RankCallsBuilder& out,
                    std::vector<Sample>& samples) const;

 private:
  bool append_block(const native::Frame& block, RankCallsBuilder& out) const;
  const native::RankFrames& frames(std::int32_t rank) const {
    return contents_.of_rank[static_cast<std::size_t>(rank)];
  }

  std::span<const std::byte> file_;
  native::Release release_;
  native::Contents contents_;
};

}  // namespace slackline
