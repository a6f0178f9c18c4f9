#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <vector>

#include "calls/call_matching.h"
#include "calls/call_set.h"
#include "calls/causal_order.h"
#include "calls/replay.h"
#include "calls/run_part.h"
#include "trace/trace.h"

namespace slackline {

/// What a call waited for: that a call of another rank began, or that the last member entered a
/// collective that all wait for.
struct CallSource {
  static constexpr std::int32_t kLastEntry = -1;

  std::int32_t rank = 0;    ///< kLastEntry: `index` is a collective
  std::uint32_t index = 0;  ///< of the call

  bool is_last_entry() const { return rank == kLastEntry; }
  auto operator<=>(const CallSource&) const = default;
};

/// A call as an activity: it begins, waits until the last of its sources was there, and works for
/// the rest. So it ends when the last of its own begin and its sources came, plus its work.
struct CallWork {
  struct Wait {
    CallSource source;
    std::int64_t at_ns;
    bool for_lock = false;      ///< that another origin held
    bool for_receiver = false;  ///< of a message that it sent
  };
  std::int64_t enter_ns = 0;  ///< times from the start of the run
  std::int64_t leave_ns = 0;
  std::int64_t ready_ns = 0;  ///< when it began and all sources were there
  /// Its work begins at the last entry into a collective that it entered itself: its own begin is
  /// among the entries and needs no edge of its own.
  bool from_last_entry = false;
  bool of_collective = false;  ///< it completes a collective, too
  std::uint32_t dropped = 0;   ///< sources that were recorded after its end
  Wait latest_dropped{};       ///< of those
  std::vector<Wait> waits{};   ///< kept between calls

  std::int64_t work_ns() const { return leave_ns - ready_ns; }
};

/// The program activity graph of a timed run, not stored: its edges follow from matched calls when
/// they are asked for. Activities are computation between calls and the part of a
/// call that is no waiting. Every time is the latest of those that it depends on plus an activity;
/// so the longest path from the start of the run to its end is the run itself.
///
/// A part of a run lasts from the last entry into the collective at its begin to that into the one
/// at its end: all paths go through both. Times in it are counted from its start; all ranks enter
/// the first collective at that moment, and take no time in the last one.
class Activities {
 public:
  /// Keeps references. O(calls + members of collectives); 8 bytes a collective.
  Activities(const Trace& trace, const CallMatching& matching, const CausalOrder& order,
             const RunPart& part = {});

  const Trace& trace() const { return trace_; }
  const CallMatching& matching() const { return matching_; }
  const CausalOrder& order() const { return order_; }
  /// When it starts, in the trace's own time.
  std::int64_t start_ns() const { return span_.begin_ns; }
  std::int64_t makespan_ns() const { return makespan_ns_; }
  const RunPart& part() const { return part_; }
  /// Whether a call belongs to this part, and not to the part before.
  bool is_own(CallIndex call) const { return call >= part_.lead(); }
  std::size_t calls(std::int32_t rank) const { return trace_.calls(rank).size(); }

  /// Begin and end of calls from the start of the run; they never go back within a rank.
  std::int64_t enter_ns(std::int32_t rank, CallIndex call) const {
    const Own& own = own_[static_cast<std::size_t>(rank)];
    return own.enter.empty() ? since_start(trace_.calls(rank).begin_ns(call)) : own.enter[call];
  }
  std::int64_t leave_ns(std::int32_t rank, CallIndex call) const {
    const Own& own = own_[static_cast<std::size_t>(rank)];
    return own.enter.empty() ? since_start(trace_.calls(rank).end_ns(call)) : own.leave[call];
  }
  /// Computation before a call; before the first one from the start of the run.
  std::int64_t gap_ns(std::int32_t rank, CallIndex call) const {
    return enter_ns(rank, call) - (call == 0 ? 0 : leave_ns(rank, call - 1));
  }
  /// How long after the start of the run a rank started; part of its first gap.
  std::int64_t late_start_ns(std::int32_t rank) const {
    return std::clamp<std::int64_t>(since_start(trace_.calls(rank).start_ns()), 0, gap_ns(rank, 0));
  }
  std::int64_t stop_ns(std::int32_t rank) const {
    return since_start(trace_.calls(rank).stop_ns());
  }
  std::int64_t last_entry_ns(std::uint32_t collective) const { return last_entry_ns_[collective]; }
  /// Is it one whose last entry somebody waits for?
  bool has_last_entry(std::uint32_t collective) const;
  /// Do all members wait for it?
  bool all_wait(std::uint32_t collective) const;
  /// Does this member wait for it, of a collective that has one?
  bool waits_for_entry(const CollectiveInstance& c, const CollectiveMember& member) const;
  /// Calls visit(member) for those of a last entry: all but calls that were let go on
  /// later to break a deadlock.
  template <class Visit>
  void for_entries(std::uint32_t collective, Visit visit) const {
    const CollectiveInstance& c = matching_.collective(collective);
    const CollectiveMember* first = order_.released() == 0 ? nullptr : first_to_leave(c);
    for (const CollectiveMember& m : matching_.members(c)) {
      if (first == nullptr || order_.begun(m.rank, m.enter, first->rank, first->done)) visit(m);
    }
  }

  /// Fills `work`. Linear in what the call completes (scans: times the members).
  void look(std::int32_t rank, CallIndex call, CallWork& work) const {
    work.enter_ns = enter_ns(rank, call);
    work.leave_ns = leave_ns(rank, call);
    work.ready_ns = work.enter_ns;
    work.from_last_entry = false;
    work.of_collective = false;
    work.dropped = 0;
    work.waits.clear();
    matching_.for_completions(rank, call, [&](const CallMatching::Completion& c) {
      using Kind = CallMatching::Completion::Kind;
      if (c.kind == Kind::collective) {
        work.of_collective = true;
        return add_collective(rank, call, c.id, work);
      }
      const MessageCalls& m = matching_.message(c.id);
      if (c.kind != Kind::outgoing) {
        if (m.source != rank || m.send != call) wait_for_call(rank, call, m.source, m.send, work);
      } else if (m.destination != rank && sender_waited(trace_, m)) {
        const std::size_t known = work.waits.size();
        wait_for_call(rank, call, m.destination, m.receive, work);
        if (work.waits.size() > known) work.waits.back().for_receiver = true;
      }
    });
    for (const WindowWait& w : order_.window_waits().of(rank, call)) {
      const std::size_t known = work.waits.size();
      wait_for_call(rank, call, w.source, w.source_call, work);
      if (work.waits.size() > known) work.waits.back().for_lock = w.kind == WindowWaitKind::lock;
    }
    // A poll that found nothing, or a call that never returned, may end before what it waited for.
    const RankCalls& calls = trace_.calls(rank);
    const bool gave_up = calls.has(call, SLK_FLAG_FAILED) || calls.has(call, SLK_FLAG_UNFINISHED);
    if (gave_up) work.dropped = 0;
  }

  /// All calls that may be a source, or a member of a last entry. Numbered.
  CallSet sources() const;

 private:
  struct Own {  // of ranks whose calls overlap (several threads)
    std::vector<std::int64_t> enter;
    std::vector<std::int64_t> leave;
  };
  std::int64_t since_start(std::int64_t trace_ns) const {
    return std::clamp(trace_ns, span_.begin_ns, span_.end_ns) - span_.begin_ns;
  }
  TimeInterval span_of_part() const;
  CollectiveRule rule_of(const CollectiveInstance& c) const;
  const CollectiveMember* first_to_leave(const CollectiveInstance& c) const;
  void set_times();
  void set_last_entries();
  void add_collective(std::int32_t rank, CallIndex call, std::uint32_t id, CallWork& work) const;
  void wait_for_call(std::int32_t rank, CallIndex call, std::int32_t source, CallIndex of,
                     CallWork& work) const {
    if (!order_.begun(source, of, rank, call)) return;
    wait_until(enter_ns(source, of), {source, of}, work);
  }
  /// When the source began as recorded: before enter_ns() where a call of another thread of its
  /// rank was under way.
  std::int64_t recorded_ns(CallSource source) const;
  void wait_until(std::int64_t at, CallSource source, CallWork& work) const {
    if (at > work.leave_ns) {
      if (recorded_ns(source) <= work.leave_ns) return;
      ++work.dropped;
      if (work.dropped == 1 || at > work.latest_dropped.at_ns) work.latest_dropped = {source, at};
      return;
    }
    work.ready_ns = std::max(work.ready_ns, at);
    work.waits.push_back({source, at});
  }

  const Trace& trace_;
  const CallMatching& matching_;
  const CausalOrder& order_;
  RunPart part_;
  TimeInterval span_;  // trace time
  std::int64_t makespan_ns_ = 0;
  std::vector<Own> own_;
  std::vector<std::int64_t> last_entry_ns_;  // of each collective
};

}  // namespace slackline
