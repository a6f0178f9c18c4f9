#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/blocking_calls.h"
#include "trace/call_tree.h"
#include "trace/operation.h"
#include "trace/parallel_regions.h"
#include "trace/rank_columns.h"

namespace slackline {

// One rank's calls of MPI and what is between them: parallel arrays, one entry a call.

inline constexpr std::int32_t kPeerNone = SLK_PEER_NONE;
inline constexpr std::int32_t kPeerNull = SLK_PEER_NULL;  ///< MPI_PROC_NULL
inline constexpr std::int32_t kPeerAny = SLK_PEER_ANY;    ///< a wildcard never resolved
inline constexpr std::int32_t kPeerRoot = SLK_PEER_ROOT;  ///< MPI_ROOT of an intercommunicator
inline constexpr std::int32_t kTagAny = SLK_TAG_ANY;
inline constexpr std::uint32_t kRequestNone = SLK_REQUEST_NONE;
inline constexpr std::uint32_t kCommWorld = SLK_COMM_WORLD;
inline constexpr std::uint32_t kCommSelf = SLK_COMM_SELF;
inline constexpr std::uint32_t kCommNull = SLK_COMM_NULL;
/// Every time of a trace lies within this of zero (146 years; readers see to it), so that
/// differences of times never overflow.
inline constexpr std::int64_t kTimeLimit_ns = std::int64_t{1} << 62;

constexpr bool is_time(std::int64_t ns) {
  return ns >= -kTimeLimit_ns && ns <= kTimeLimit_ns;
}

/// One MPI call. All fields mean what trace/wire.h says of the record, but that peers and roots
/// are world ranks, a receive's peer, tag and bytes are those of the message it got (flags tell
/// that a wildcard was posted), and communicators are those of Trace::communicators(). Ranks inside
/// `args` (sendrecv's source, startall's peers, neighbours) are world ranks too.
struct Call {
  Operation operation = Operation::none;
  std::uint8_t flags = 0;  ///< enum slk_flag
  std::uint16_t thread = 0;
  FrameId frame = 0;          ///< innermost frame of its call path in Trace::call_tree(); 0 unknown
  std::int64_t begin_ns = 0;  ///< since Trace's zero; in an untimed trace computation only counts
  std::int64_t end_ns = 0;    ///< equal to begin_ns in an untimed trace
  std::uint64_t bytes = 0;
  std::int32_t peer = kPeerNone;  ///< destination, source or root (world rank)
  std::int32_t tag = 0;           ///< of collectives: element size in bytes, 0 unknown
  std::uint32_t comm = kCommWorld;
  std::uint32_t request = kRequestNone;  ///< serial started here, or completed here (single)
  std::span<const std::int64_t> args{};

  bool has(slk_flag flag) const { return (flags & flag) != 0; }
};

/// Entering or leaving a user region, between two calls of its rank.
struct RegionEvent {
  std::int64_t time_ns;
  std::uint32_t region;       ///< index into Trace::regions()
  std::uint32_t before_call;  ///< index of the first call after it
  bool enter;
};

/// Why a rank did not compute in a pause.
enum class PauseKind : std::uint8_t {
  other,         ///< writing out the recording's buffers, I/O, being stopped: as far as it says
  in_mpi,        ///< in a call of MPI that no Operation stands for (MPI_Comm_rank)
  no_processor,  ///< ready to compute, while its processor was given to others
  blocked,       ///< off the processor of its own accord: sleep, I/O, a device
  recording      ///< the recorder wrote out what it had recorded
};
inline constexpr std::size_t kPauseKinds = 5;
std::string_view to_string(PauseKind kind);  ///< "" of other ones, "no_processor"
std::optional<PauseKind> pause_kind(std::string_view name);
PauseKind pause_kind(std::uint8_t number);  ///< of a file; PauseKind::other if there is none

/// Time outside of MPI in which the rank did not compute, as far as the recording says. Lies
/// between two calls (or before the first, or after the last) and is part of their gap.
struct Pause {
  std::int64_t begin_ns;
  std::int64_t end_ns;
  std::uint32_t before_call;  ///< index of the first call after it
  PauseKind kind = PauseKind::other;
};

/// Mean time that recording one call of an operation takes, outside of the call.
struct RecordingCost {
  std::uint32_t before_ns = 0;  ///< from the program's call to the recorded begin
  std::uint32_t after_ns = 0;   ///< from the recorded end to the return to the program
  bool operator==(const RecordingCost&) const = default;
};

/// What a counter gained in each gap between calls. Counters that mostly gain nothing (context
/// switches) take 12 bytes a gap in which they do, others 8 a gap.
class CounterGains {
 public:
  CounterGains() = default;
  explicit CounterGains(std::vector<std::uint64_t> of_gaps);
  /// 0 beyond the last one. Logarithmic where most are 0.
  std::uint64_t at(std::size_t gap) const {
    if (!sparse_) return gap < gains_.size() ? gains_[gap] : 0;
    const auto found = std::lower_bound(gaps_.begin(), gaps_.end(), gap);
    if (found == gaps_.end() || *found != gap) return 0;
    return gains_[static_cast<std::size_t>(found - gaps_.begin())];
  }

 private:
  std::vector<std::uint64_t> gains_;
  std::vector<std::uint32_t> gaps_;  // of the gains, in order, where they are sparse
  bool sparse_ = false;
};

class RankCallsBuilder;

/// One rank's calls in program order, which a RankCallsBuilder has appended.
/// 46 bytes a call plus 8 per argument, up to 8 per counter, and 4 where call paths are known.
class RankCalls {
 public:
  RankCalls() = default;
  /// What is built becomes a RankCalls only in a Trace (TraceBuilder::build()): nothing that can
  /// still change is copied by mistake.
  RankCalls(const RankCallsBuilder&) = delete;
  RankCalls& operator=(const RankCallsBuilder&) = delete;

  std::size_t size() const { return columns_.size(); }
  bool empty() const { return columns_.size() == 0; }
  /// All of call i. Whoever needs only one column of it in a long walk asks for that below.
  Call operator[](std::size_t i) const {
    Call call = action(i);
    call.thread = thread(i);
    call.frame = frame(i);
    call.begin_ns = columns_.begin_ns[i];
    call.end_ns = columns_.end_ns[i];
    return call;
  }
  /// The same without its times, thread and call path: all that executing the program
  /// needs.
  Call action(std::size_t i) const {
    return Call{.operation = columns_.operation[i],
                .flags = columns_.flags[i],
                .bytes = columns_.bytes[i],
                .peer = columns_.peer[i],
                .tag = columns_.tag[i],
                .comm = columns_.comm[i],
                .request = columns_.request[i],
                .args = args(i)};
  }

  Operation operation(std::size_t i) const { return columns_.operation[i]; }
  /// Every call's, in the order of the program.
  std::span<const Operation> operations() const { return whole(columns_.operation); }
  // Other columns as a whole, for export without a copy.
  std::span<const std::int64_t> begins_ns() const { return whole(columns_.begin_ns); }
  std::span<const std::int64_t> ends_ns() const { return whole(columns_.end_ns); }
  std::span<const std::uint64_t> byte_counts() const { return whole(columns_.bytes); }
  std::span<const std::int32_t> peers() const { return whole(columns_.peer); }
  std::span<const std::int32_t> tags() const { return whole(columns_.tag); }
  std::span<const std::uint32_t> comms() const { return whole(columns_.comm); }
  std::span<const std::uint32_t> requests() const { return whole(columns_.request); }
  std::span<const std::uint8_t> flags() const { return whole(columns_.flags); }
  std::uint16_t thread(std::size_t i) const {
    return thread_.empty() ? std::uint16_t{0} : thread_[i];
  }
  FrameId frame(std::size_t i) const { return frame_.empty() ? FrameId{0} : frame_[i]; }
  /// Whether every column of all calls continues that of `before` in memory.
  bool continues(const RankCalls& before) const { return columns_.follows(before.columns_); }
  /// Whether any call is of another thread than the first.
  bool has_threads() const { return !thread_.empty(); }
  /// Whether the call path of any call is known.
  bool has_frames() const { return !frame_.empty(); }
  std::int64_t begin_ns(std::size_t i) const { return columns_.begin_ns[i]; }
  std::int64_t end_ns(std::size_t i) const { return columns_.end_ns[i]; }
  std::uint64_t bytes(std::size_t i) const { return columns_.bytes[i]; }
  std::int32_t peer(std::size_t i) const { return columns_.peer[i]; }
  std::int32_t tag(std::size_t i) const { return columns_.tag[i]; }
  std::uint32_t comm(std::size_t i) const { return columns_.comm[i]; }
  std::uint32_t request(std::size_t i) const { return columns_.request[i]; }
  bool has(std::size_t i, slk_flag flag) const { return (columns_.flags[i] & flag) != 0; }
  /// Whether the recording ended while the call was under way: its end is that of the recording,
  /// and whatever it waited for may not have happened by then.
  bool is_cut(std::size_t i) const { return has(i, SLK_FLAG_UNFINISHED); }
  std::span<const std::int64_t> args(std::size_t i) const {
    const std::size_t at = columns_.args_at[i];
    return {args_.data() + at + 1, static_cast<std::size_t>(args_[at])};
  }
  /// The first call that begins at `time` or later (calls stand in order of their begin); size() if
  /// there is none. Logarithmic.
  std::size_t first_from(std::int64_t time) const;
  /// Where the gap before call i ends; of i = size(), which is after the last call, stop_ns().
  std::int64_t gap_end_ns(std::size_t i) const { return i < size() ? begin_ns(i) : stop_ns(); }
  /// The length of that gap: from the end of the call before (or the rank's start), at least 0.
  std::int64_t gap_ns(std::size_t i) const {
    const std::int64_t before = i == 0 ? start_ns_ : columns_.end_ns[i - 1];
    return std::max<std::int64_t>(0, gap_end_ns(i) - before);
  }

  std::span<const RegionEvent> regions() const { return regions_; }
  /// In order of time; they do not overlap.
  std::span<const Pause> pauses() const { return pauses_; }
  /// Empty where the rank's only location is its main thread.
  const ParallelRegions& parallel_regions() const { return parallel_regions_; }
  /// I/O and other waiting outside of MPI. Empty where there was none, or it was not recorded.
  std::span<const BlockingCalls> blocking_calls() const { return blocking_calls_; }
  /// Computation in the gap before call i (i = size(): after the last call): the gap less the
  /// pauses in it and less recording_ns(). Logarithmic in the number of pauses.
  std::int64_t useful_ns(std::size_t i) const {
    const std::int64_t ns = unpaused_ns(i);
    return ns - std::min(ns, recording_cost_ns(i));
  }
  /// The part of that gap, outside of pauses, in which the calls around it were recorded, by the
  /// mean cost of their operations. 0 where that is not known.
  std::int64_t recording_ns(std::size_t i) const {
    return std::min(unpaused_ns(i), recording_cost_ns(i));
  }
  /// The pauses of that kind in that gap. Logarithmic in the number of pauses.
  std::int64_t paused_ns(std::size_t i, PauseKind kind) const;
  /// The cost alone, which may be longer than the gap.
  std::int64_t recording_cost_ns(std::size_t i) const {
    if (recording_costs_.empty()) return 0;
    std::int64_t ns = 0;
    if (i < size()) ns += recording_cost(operation(i)).before_ns;
    if (i > 0) ns += recording_cost(operation(i - 1)).after_ns;
    return ns;
  }
  /// By operation; those beyond the last are 0. Empty where not known.
  std::span<const RecordingCost> recording_costs() const { return recording_costs_; }
  /// The part of that gap that is outside of MPI: less only the pauses in calls that no Operation
  /// stands for.
  std::int64_t outside_ns(std::size_t i) const;
  /// What counter `which` of Trace::counters() gained while the rank computed in the gap
  /// before call i (i = size(): after the last). 0 where it was not recorded.
  std::uint64_t counter(std::size_t which, std::size_t i) const {
    return which < counters_.size() ? counters_[which].at(i) : 0;
  }
  /// When the rank's recording ends: computation after the last call lasts until then. The end of
  /// the last call when nothing else was said.
  std::int64_t stop_ns() const;
  /// Time from which this rank's computation counts; 0 unless the rank began later than the trace's
  /// zero.
  std::int64_t start_ns() const { return start_ns_; }

 private:
  friend class RankCallsBuilder;
  template <class T>
  std::span<const T> whole(const RankColumn<T>& column) const {
    return {column.data(), size()};
  }

  RankColumns columns_;
  std::vector<std::int64_t> args_{0};  // what args_at counts in; at 0 the empty list
  std::vector<std::uint16_t> thread_;  // empty while every call is of thread 0
  std::vector<FrameId> frame_;         // empty while no call path is known
  static constexpr std::int64_t kNoStop = INT64_MIN;
  template <class Counts>
  std::int64_t gap_without(std::size_t i, Counts counts) const;
  std::int64_t between_pauses(std::size_t i) const;
  std::int64_t unpaused_ns(std::size_t i) const {
    return pauses_.empty() ? gap_ns(i) : between_pauses(i);
  }
  RecordingCost recording_cost(Operation operation) const {
    const auto at = static_cast<std::size_t>(operation);
    return at < recording_costs_.size() ? recording_costs_[at] : RecordingCost{};
  }
  std::int64_t last_end_ns() const { return empty() ? start_ns_ : columns_.end_ns[size() - 1]; }

  std::vector<RegionEvent> regions_;
  std::vector<Pause> pauses_;
  ParallelRegions parallel_regions_;
  std::vector<BlockingCalls> blocking_calls_;
  std::vector<RecordingCost> recording_costs_;
  std::vector<CounterGains> counters_;
  std::int64_t start_ns_ = 0;
  std::int64_t stop_ns_ = kNoStop;
};

/// The same while it is built: what there is so far can be read.
class RankCallsBuilder : public RankCalls {
 public:
  void reserve(std::size_t calls) { columns_.reserve(calls); }
  /// The span in `call.args` is copied.
  void append(const Call& call);
  /// What a later completion told about receive `i`: its real source, tag and size.
  void resolve(std::size_t i, std::int32_t peer, std::int32_t tag, std::uint64_t bytes);
  void add_flags(std::size_t i, std::uint8_t flags) { columns_.flags[i] |= flags; }
  /// Call `i` becomes `call`, apart from its times (retime()) and arguments.
  void replace(std::size_t i, const Call& call);
  void reserve_regions(std::size_t events) { regions_.reserve(events); }
  void append_region(RegionEvent event) { regions_.push_back(event); }
  void set_regions(std::vector<RegionEvent> events) { regions_ = std::move(events); }
  void set_start_ns(std::int64_t start) { start_ns_ = start; }
  void set_stop_ns(std::int64_t stop) { stop_ns_ = stop; }
  void append_pause(const Pause& pause) { pauses_.push_back(pause); }
  void set_parallel_regions(ParallelRegions regions) { parallel_regions_ = std::move(regions); }
  void set_blocking_calls(std::vector<BlockingCalls> calls) { blocking_calls_ = std::move(calls); }
  void set_recording_costs(std::vector<RecordingCost> costs) {
    recording_costs_ = std::move(costs);
  }
  /// One value a gap, so at most size() + 1; the missing ones are 0.
  void set_counter(std::size_t which, std::vector<std::uint64_t> values);
  std::span<std::int64_t> mutable_args(std::size_t i);
  /// New times of every call, begin and end by turns. What lies between calls (regions, pauses, the
  /// stop) moves with the call before it, but not past the one after it.
  void retime(std::span<const std::int64_t> times);
  void set_comm(std::size_t i, std::uint32_t comm) { columns_.comm[i] = comm; }
  /// Replaces every time by map(time), which must not decrease with it: a correction of the clock.
  template <class Map>
  void map_times(Map map) {
    for (std::size_t i = 0; i < size(); ++i) columns_.begin_ns[i] = map(columns_.begin_ns[i]);
    for (std::size_t i = 0; i < size(); ++i) columns_.end_ns[i] = map(columns_.end_ns[i]);
    for (auto& e : regions_) e.time_ns = map(e.time_ns);
    for (auto& p : pauses_) p = {map(p.begin_ns), map(p.end_ns), p.before_call, p.kind};
    parallel_regions_.map_times([&](std::int64_t time, std::uint32_t) { return map(time); });
    start_ns_ = map(start_ns_);
    if (stop_ns_ != kNoStop) stop_ns_ = map(stop_ns_);
  }
  /// Replaces the frame of every call by map(frame); map(0) is 0.
  template <class Map>
  void map_frames(Map map) {
    for (FrameId& frame : frame_) frame = map(frame);
    parallel_regions_.map_frames(map);
    for (BlockingCalls& calls : blocking_calls_) calls.frame = map(calls.frame);
  }
  /// Gives back what reserve() and growth left over.
  void shrink();

 private:
  friend class TraceBuilder;
  RankColumns* columns() { return &columns_; }
  void set_fields(std::size_t i, const Call& call);
};

}  // namespace slackline
