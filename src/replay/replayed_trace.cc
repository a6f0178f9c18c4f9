// Which call of the program does a recorded call stand for?
//
// The processes make the program's calls in order, so the k-th recorded call is the k-th step, but
// for two things that depend on how the messages come: polls that find nothing are as many as are
// needed, and a MPI_Waitsome that completed several requests may be several. So failed polls are
// passed over on both sides, and calls that complete some requests are taken together until they
// have completed as many as in the program.
//
// A call of MPI-IO is two marks, one before and one after what stands for it.

#include "replay/replay_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "calls/call_actions.h"
#include "calls/collective_scope.h"
#include "calls/run_span.h"
#include "replay/communicator_plan.h"
#include "trace/replay_wire.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

constexpr FindingKind kOtherCalls{
    "replay_other_calls", Severity::notice,
    "Ranks whose replay does not have the calls of the trace in the same order; their call paths "
    "and regions are missing from there on."};

constexpr std::uint8_t kWildcards = SLK_FLAG_ANY_SOURCE | SLK_FLAG_ANY_TAG;

/// The marks that a process sets before its first call and after its last one.
struct Marks {
  std::size_t first;
  std::size_t last;
};

Marks marks_of(const RankCalls& calls, std::int32_t rank) {
  const auto is_mark = [&](std::size_t i) { return calls.operation(i) == Operation::pcontrol; };
  std::size_t first = 0;
  while (first < calls.size() && !is_mark(first)) ++first;
  std::size_t last = calls.size();
  while (last > first + 1 && !is_mark(last - 1)) --last;
  if (last > first + 1) return {first, last - 1};
  throw Error("the replay is incomplete", fmt::format("rank {} did not reach its end", rank),
              "See the messages of the job above.");
}

class RankCarrier {
 public:
  RankCarrier(const Trace& program, const std::vector<CallIndex>& steps, const Trace& recorded,
              std::int32_t rank)
      : program_(program.calls(rank)),
        steps_(steps),
        recorded_(recorded.calls(rank)),
        marks_(marks_of(recorded_, rank)) {
    for (std::size_t j = 0; j < recorded_.size(); ++j) {
      if (operation_class(recorded_.operation(j)) != OperationClass::completion) continue;
      if (recorded_.has(j, SLK_FLAG_FAILED)) continue;
      for_each_completed_request(recorded_.action(j),
                                 [this](std::uint32_t serial) { completed_.insert(serial); });
    }
  }

  /// `offset_ns`: of the rank's start to the first rank's.
  void run(RankCallsBuilder& to, std::int64_t offset_ns) {
    const std::int64_t start = recorded_.end_ns(marks_.first) + offset_ns;
    index_.assign(recorded_.size() + 1, 0);
    add_init(start);
    for (std::size_t j = marks_.first + 1; j < marks_.last; ++j) {
      if (is_file_mark(j) && is_file_mark(j + 1)) {
        add_file_access(j++);
      } else {
        add(j);
      }
    }
    for (std::size_t j = marks_.last; j <= recorded_.size(); ++j) index_[j] = calls_.size();
    add_finalize();
    std::int64_t begin = calls_.empty() ? start : std::min(start, calls_.front().begin_ns);
    if (!program_.empty()) begin -= std::max<std::int64_t>(0, program_.gap_ns(0));
    to.set_start_ns(begin);
    to.reserve(calls_.size());
    for (const Call& call : calls_) to.append(call);
    for (const Pause& pause : recorded_.pauses()) add_pause(to, pause, start);
    add_regions(to, start);
    if (!calls_.empty()) to.set_stop_ns(calls_.back().end_ns);
  }
  bool corresponds() const { return corresponds_; }

 private:
  void add_init(std::int64_t start) {
    const RankSpan span = rank_span(program_);
    for (std::size_t i = 0; i < span.first_call; ++i) {
      Call call = program_[i];
      const std::int64_t before_start = span.analysed.begin_ns - call.begin_ns;
      call.end_ns = start - (span.analysed.begin_ns - call.end_ns);
      call.begin_ns = start - before_start;
      place(i);
      calls_.push_back(call);
    }
  }

  void add_finalize() {
    if (program_.empty() || program_.operation(program_.size() - 1) != Operation::finalize) return;
    Call call = program_[program_.size() - 1];
    const std::size_t last = recorded_.size() - 1;
    call.begin_ns = recorded_.begin_ns(marks_.last);
    call.end_ns = call.begin_ns;
    if (recorded_.operation(last) == Operation::finalize) {
      call.end_ns += recorded_.end_ns(last) - recorded_.begin_ns(last);
    }
    place(program_.size() - 1);
    calls_.push_back(call);
  }

  /// Call i of the program is the next one here.
  void place(std::size_t i) {
    if (new_index_.size() < program_.size() + 1) new_index_.assign(program_.size() + 1, kNone);
    new_index_[i] = calls_.size();
  }

  void add(std::size_t j) {
    Call call = recorded_[j];
    call.frame = 0;
    index_[j] = calls_.size();
    if (call.has(SLK_FLAG_FAILED)) {
      if (left_ > 0 && calls_.back().operation == call.operation) {
        calls_.back().end_ns = call.end_ns;
        --index_[j];
        return;
      }
      pass_failed_steps();
      if (corresponds_ && step_ < steps_.size() && steps_[step_] < program_.size())
        call.frame = program_.frame(steps_[step_]);
      calls_.push_back(call);
      return;
    }
    if (goes_on(call)) {
      add_to_last(call);
      --index_[j];
      return;
    }
    pass_failed_steps();
    if (corresponds_ && step_ < steps_.size() && steps_[step_] == kNoCall) {
      ++step_;  // made for the replay alone
      return;
    }
    if (corresponds_) follow(call);
    calls_.push_back(call);
  }

  bool is_file_mark(std::size_t j) const {
    return recorded_.operation(j) == Operation::pcontrol && !recorded_.args(j).empty() &&
           recorded_.args(j).front() == SLK_REPLAY_FILE_LEVEL;
  }

  /// From the mark j to the next one. What is recorded between them is in the call.
  void add_file_access(std::size_t j) {
    pass_failed_steps();
    const bool there = corresponds_ && step_ < steps_.size() && steps_[step_] < program_.size();
    if (!there || operation_class(program_.operation(steps_[step_])) != OperationClass::io) {
      corresponds_ = false;
      add(j);
      return add(j + 1);
    }
    Call call = program_[steps_[step_]];
    call.begin_ns = recorded_.begin_ns(j);
    call.end_ns = recorded_.end_ns(j + 1);
    const auto comm = comms_.find(call.comm);
    call.comm = comm == comms_.end() ? kCommNull : comm->second;
    index_[j] = calls_.size();
    index_[j + 1] = kNone;
    calls_.push_back(call);
    place(steps_[step_++]);
  }

  void pass_failed_steps() {
    for (; step_ < steps_.size(); ++step_) {
      const CallIndex call = steps_[step_];
      if (call >= program_.size() || !program_.has(call, SLK_FLAG_FAILED)) return;
      place(call);
    }
  }

  /// Whether the call completes the rest of what the one before it had to.
  bool goes_on(const Call& call) {
    if (left_ == 0 || calls_.empty() || calls_.back().operation != call.operation) {
      left_ = 0;
      return false;
    }
    left_ -= std::min(left_, call.args.size());
    return true;
  }

  void add_to_last(const Call& call) {
    Call& last = calls_.back();
    std::vector<std::int64_t>& requests = changed_.emplace_back(last.args.begin(), last.args.end());
    requests.insert(requests.end(), call.args.begin(), call.args.end());
    last.args = requests;
    last.end_ns = call.end_ns;
  }

  void follow(Call& call) {
    const bool there = step_ < steps_.size() && steps_[step_] < program_.size();
    const Call original = there ? program_[steps_[step_]] : Call{};
    const OperationClass kind = operation_class(original.operation);
    const bool interchangeable = kind == OperationClass::comm_create ||
                                 kind == OperationClass::sendrecv ||
                                 (opens_object(original.operation) && opens_object(call.operation));
    const bool same = original.operation == call.operation ||
                      (interchangeable && operation_class(call.operation) == kind);
    if (!there || !same) {
      corresponds_ = false;
      return;
    }
    if (call.operation == Operation::waitsome || call.operation == Operation::testsome) {
      left_ = original.args.size() - std::min(original.args.size(), call.args.size());
    }
    if (original.has(SLK_FLAG_CANCELLED)) {  // posted with a tag that no message has
      call.peer = original.peer;
      call.tag = original.tag;
      call.bytes = original.bytes;
    }
    if (kind == OperationClass::sendrecv) restore_wildcards(call, original);
    if (kind == OperationClass::comm_create) follow_maker(call, original);
    // All receives are posted with room for the largest message.
    const bool never_completed =
        original.operation == Operation::irecv && !completed_.contains(call.request);
    const bool as_posted =
        original.operation == Operation::recv_init || call.peer == kPeerNull || never_completed;
    if (as_posted) call.bytes = original.bytes;
    call.operation = original.operation;
    call.frame = original.frame;
    call.flags = static_cast<std::uint8_t>(call.flags | (original.flags & kWildcards));
    place(steps_[step_]);
    ++step_;
  }

  /// A sendrecv's receive has its flags among the arguments.
  void restore_wildcards(Call& call, const Call& original) {
    constexpr std::size_t kFlags = 3;
    if (call.args.size() <= kFlags || original.args.size() <= kFlags) return;
    std::vector<std::int64_t>& args = changed_.emplace_back(call.args.begin(), call.args.end());
    args[kFlags] |= original.args[kFlags] & kWildcards;
    call.args = args;
  }

  /// Communicators with a topology are made from a copy, which the program does not have.
  void follow_maker(Call& call, const Call& original) {
    if (const auto parent = comms_.find(original.comm); parent != comms_.end()) {
      call.comm = parent->second;
    }
    const std::uint32_t made = made_communicator(original);
    if (made != kCommNull) comms_[made] = made_communicator(call);
  }

  void add_pause(RankCallsBuilder& to, const Pause& pause, std::int64_t start) const {
    const std::int64_t begin = std::max(pause.begin_ns, start);
    if (pause.end_ns <= begin || pause.before_call <= marks_.first) return;
    if (pause.before_call > marks_.last) return;
    if (index_[pause.before_call] == kNone) return;
    const auto next = static_cast<std::uint32_t>(index_[pause.before_call]);
    to.append_pause({begin, pause.end_ns, next, pause.kind});
  }

  /// Regions begin and end at the same share of the computation between two calls.
  void add_regions(RankCallsBuilder& to, std::int64_t start) {
    if (!corresponds_ || program_.regions().empty()) return;
    new_index_.resize(program_.size() + 1, kNone);
    new_index_.back() = calls_.size();
    for (std::size_t i = program_.size(); i-- > 0;) {
      if (new_index_[i] == kNone) new_index_[i] = new_index_[i + 1];
    }
    for (RegionEvent event : program_.regions()) {
      const std::size_t next = event.before_call;
      const std::size_t here = new_index_[std::min(next, program_.size())];
      const auto gap = gap_of(program_, next);
      const std::int64_t from = here == 0 ? start : calls_[here - 1].end_ns;
      const std::int64_t until = here < calls_.size() ? calls_[here].begin_ns : from;
      const double share = gap.second > gap.first
                               ? double(event.time_ns - gap.first) / double(gap.second - gap.first)
                               : 1.0;
      const auto length = static_cast<double>(std::max<std::int64_t>(0, until - from));
      event.time_ns = from + static_cast<std::int64_t>(std::clamp(share, 0.0, 1.0) * length);
      event.before_call = static_cast<std::uint32_t>(here);
      to.append_region(event);
    }
  }

  static std::pair<std::int64_t, std::int64_t> gap_of(const RankCalls& calls, std::size_t next) {
    const std::int64_t from = next == 0 ? calls.start_ns() : calls.end_ns(next - 1);
    return {from, next < calls.size() ? calls.begin_ns(next) : calls.stop_ns()};
  }

  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  const RankCalls& program_;
  const std::vector<CallIndex>& steps_;
  const RankCalls& recorded_;
  Marks marks_;
  std::unordered_set<std::uint32_t> completed_;  // requests
  std::vector<Call> calls_;
  std::map<std::uint32_t, std::uint32_t> comms_{{kCommWorld, kCommWorld}, {kCommSelf, kCommSelf}};
  std::deque<std::vector<std::int64_t>> changed_;  // arguments that are not as recorded
  std::vector<std::size_t> index_;                 // by recorded call
  std::vector<std::size_t> new_index_;             // by call of the program
  std::size_t step_ = 0;
  std::size_t left_ = 0;  // requests that calls to come complete for the last one
  bool corresponds_ = true;
};

/// So that the earliest rank starts at 0.
void move_to_zero(TraceBuilder& trace) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    first = std::min(first, trace.calls(r).start_ns());
  }
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    trace.calls(r).map_times([first](std::int64_t t) { return t - first; });
  }
}

}  // namespace

Trace replayed_trace(const Trace& program, const ReplayFile& file, const Trace& recorded) {
  // A trace of the replay, whose code is the program's.
  TraceBuilder trace = TraceBuilder::without_calls(recorded, true);
  trace.call_tree() = program.call_tree();
  for (const std::string& name : program.regions()) trace.region_id(name);
  trace.info().program = program.info().program;
  trace.info().recorder = "slackline replay";
  const std::int64_t begin = run_span(program).analysed.begin_ns;
  for (std::int32_t r = 0; r < program.ranks(); ++r) {
    RankCarrier carrier(program, file.calls[static_cast<std::size_t>(r)], recorded, r);
    const std::int64_t offset =
        file.common_start ? 0 : rank_span(program.calls(r)).analysed.begin_ns - begin;
    carrier.run(trace.calls(r), std::max<std::int64_t>(0, offset));
    if (!carrier.corresponds()) trace.findings().add(kOtherCalls, fmt::format("rank {}", r));
  }
  move_to_zero(trace);
  return std::move(trace).build();
}

}  // namespace slackline
