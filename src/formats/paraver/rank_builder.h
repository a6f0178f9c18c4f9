#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "base/findings.h"
#include "base/flat_map.h"
#include "formats/paraver/thread_states.h"
#include "trace/trace.h"

namespace slackline::paraver {

/// One end of a communication record, as its rank sees it.
struct MessageEnd {
  std::int64_t logical_ns = 0;
  std::int64_t physical_ns = 0;
  std::uint64_t bytes = 0;
  std::int32_t peer = 0;
  std::int32_t tag = 0;
};

/// Puts the calls of one rank together from what the records say, in the order of the file: calls
/// from enter and leave events, peers from communication records, requests from their times
/// (doc/formats/paraver.md). The calls it has done with are in the Trace already; it keeps those
/// that are open or may still change, and the message ends that wait for their call.
class RankBuilder {
 public:
  RankBuilder(RankCallsBuilder& calls, Findings& findings) : calls_(calls), findings_(findings) {}

  void state(std::uint32_t thread, std::int64_t begin, std::int64_t end, std::int64_t state);
  /// An event's line at `time`; the calls below belong to it.
  void begin_event(std::uint32_t thread, std::int64_t time);
  void enter(std::uint32_t thread, std::int64_t time, const Call& call);
  /// A call of MPI that no Operation stands for.
  void enter_unnamed(std::uint32_t thread, std::int64_t time);
  void leave(std::uint32_t thread, std::int64_t time);
  /// What each counter has gained since the line before.
  void counters(std::uint32_t thread, std::int64_t time, std::span<const std::uint64_t> gained);
  /// The call path of the call that was entered at `time`, where it has none yet.
  void frame(std::uint32_t thread, std::int64_t time, FrameId frame);
  /// `region` < 0: the innermost region is left.
  void region(std::uint32_t thread, std::int64_t time, std::int64_t region);
  void sent(std::uint32_t thread, const MessageEnd& end, std::int64_t now);
  void received(std::uint32_t thread, const MessageEnd& end, std::int64_t now);

  /// The file has ended. Every call is in the Trace after this.
  void finish();
  bool seen() const { return seen_; }

 private:
  struct Open {
    Call call;
    std::vector<std::int64_t> args;
    bool closed = false;
    bool sent = false;
    bool received = false;
  };
  struct Waiting {
    MessageEnd end;
    std::uint64_t order;
  };
  struct Thread {
    std::uint64_t open = 0;         // serial of the open call in the window, from 1; 0 none
    std::vector<Waiting> receives;  // heap: whose call has not come yet, earliest first
    std::vector<Waiting> sends;     // of this very time, whose event has not come yet
  };
  struct Completion {
    std::int64_t time;
    std::uint32_t request;
  };
  struct LateArguments {
    std::size_t call;
    std::vector<std::int64_t> args;
  };
  struct ThreadHash {
    std::uint64_t operator()(std::uint32_t thread) const { return mix_bits(thread); }
  };

  std::size_t next_index() const { return calls_.size() + window_.size(); }
  Open* open_call(Thread& thread);
  Thread& thread_of(std::uint32_t number) { return threads_[number]; }

  void close(Thread& thread, std::int64_t time);
  void flush(std::int64_t now);
  void resolve(Open& open);
  void resolve_completion(Open& open);
  void complete(Call& call, std::vector<std::int64_t>& args, std::uint32_t request);
  std::vector<std::uint32_t> completed_by(std::int64_t end, bool single);

  bool give_send(Open& open, const MessageEnd& end);
  bool give_receive(Open& open, const MessageEnd& end);
  bool send_in_past(std::uint32_t thread, const MessageEnd& end);
  bool receive_in_past(std::uint32_t thread, const MessageEnd& end);
  void completes_at(std::uint32_t request, std::int64_t time);
  void without_call(std::uint32_t thread, const MessageEnd& end, Operation operation);
  void take_waiting(Thread& thread, std::uint32_t number, Open& open, std::int64_t until);
  void rebuild();
  Open* entered_at(std::uint32_t thread, std::int64_t time);
  void keep_counters(std::size_t gap);

  RankCallsBuilder& calls_;
  Findings& findings_;
  FlatMap<std::uint32_t, Thread, ThreadHash> threads_;
  std::deque<Open> window_;
  std::uint64_t window_base_ = 1;          // serial of the window's first call
  std::vector<Completion> completions_;    // heap: of receives, earliest first
  std::deque<std::uint32_t> overdue_;      // receives whose time has passed without a call for them
  std::deque<std::uint32_t> outstanding_;  // sends and collectives that nothing has completed yet
  std::vector<LateArguments> late_;
  std::vector<Call> extra_;
  std::vector<std::uint32_t> region_stack_;
  ThreadStates states_;
  std::vector<std::uint64_t> gained_;                       // since the last call, by counter
  std::vector<std::vector<std::uint64_t>> counter_values_;  // by counter, of each gap
  std::uint64_t order_ = 0;
  std::uint32_t last_request_ = 0;
  bool seen_ = false;
  bool computed_ = false;  // thread 0, right before its open call
};

}  // namespace slackline::paraver
