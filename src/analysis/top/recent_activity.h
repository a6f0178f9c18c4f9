#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "calls/run_span.h"

namespace slackline {

/// What a rank did in an interval. The first three add up to the part of the interval in which the
/// rank ran.
struct MpiSums {
  std::int64_t computation_ns = 0;  ///< outside of MPI, without what follows
  std::int64_t paused_ns = 0;       ///< outside of MPI: without a processor, blocked, recording
  std::int64_t mpi_ns = 0;
  std::uint64_t calls = 0;  ///< that ended in it; polls that the recorder has joined are one
  std::uint64_t bytes = 0;  ///< that these calls send or give to a collective

  MpiSums& operator+=(const MpiSums& other);
  bool operator==(const MpiSums&) const = default;
};

/// Sums over the time of one rank that still runs: of all of it, and of the last few seconds.
///
/// Time is cut into slices of one length, of which the last ones are kept, so that memory does not
/// grow with the run. A call adds O(1), and O(slices) at most if it or the computation before it
/// reaches over several. What the computation before a call was is known when the next call is, and
/// is only then put into slices; what is asked before that takes it to be computation.
class RecentActivity {
 public:
  /// Keeps slices of the run's last `slices` * `slice_ns` at least.
  RecentActivity(std::int64_t slice_ns, std::size_t slices);

  /// In the order in which they began. `path` is what the computation before it is counted for, a
  /// small number.
  void add_call(TimeInterval call, std::uint32_t path, std::uint64_t bytes);
  /// This much of the time before the last call was not computation.
  void add_loss(std::int64_t ns);
  /// The recorder wrote in this time, before the next call.
  void add_recording(const TimeInterval& time);

  bool begun() const { return calls_ > 0; }
  /// When the first call began.
  std::int64_t begin_ns() const { return begin_ns_; }
  /// When the last call ended.
  std::int64_t last_end_ns() const { return last_.call.end_ns; }

  struct Period {
    MpiSums sums{};
    /// Computation before the calls of a path; that after the last call counts for path 0.
    std::vector<std::pair<std::uint32_t, std::int64_t>> by_path{};
  };
  /// What the rank does now: calls that may have ended or not, and until when it is known to run.
  struct Present {
    std::span<const TimeInterval> calls{};
    std::int64_t until_ns = 0;
  };
  Period whole(const Present& present) const;
  /// From the begin of a slice on that is kept. O(slices + paths).
  Period since(std::int64_t from_ns, const Present& present) const;

 private:
  struct LastCall {
    std::int64_t gap_begin_ns = 0;  ///< of the computation before it
    TimeInterval call;
    std::int64_t lost_ns = 0;
    std::uint32_t path = 0;
    std::uint64_t bytes = 0;
  };
  static constexpr std::int64_t kUnused = std::numeric_limits<std::int64_t>::min();
  struct Slice {
    std::int64_t number = kUnused;
    Period period{};
  };

  Slice& slice(std::int64_t number);
  void count(const TimeInterval& time, std::int64_t MpiSums::*part, std::uint32_t path);
  void count(const LastCall& call);
  void add_to_path(Slice& slice, std::uint32_t path, std::int64_t ns);
  template <class Add>
  void visit_last(const Present& present, const Add& add) const;

  std::int64_t slice_ns_;
  std::vector<Slice> slices_;  // the one of time t is number t / slice_ns_, modulo their count
  std::vector<std::size_t> places_;  // of a path in the slice in which it was counted last
  Period whole_;                     // by_path by path
  LastCall last_;
  std::vector<TimeInterval> recording_;
  std::int64_t begin_ns_ = 0;
  std::uint64_t calls_ = 0;
};

}  // namespace slackline
