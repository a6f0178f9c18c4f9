// One rank's calls as a process can make them again without a trace.
//
// Most calls of a program repeat: the same operation with the same peer, tag and size. Each
// different call is written once, and the program is a list of numbers of such calls with the
// computation before them, about three bytes each. Requests are named by the place that they get in
// a table, the lowest free one, so that loops repeat these, too.

#include "replay/rank_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "calls/run_span.h"
#include "replay/collective_blocks.h"
#include "replay/persistent_requests.h"
#include "replay/rank_communicators.h"
#include "replay/rank_windows.h"
#include "replay/request_places.h"
#include "replay/step_list.h"
#include "replay/wildcards.h"
#include "trace/operation_kinds.h"
#include "trace/replay_wire.h"

namespace slackline {
namespace {

constexpr std::uint64_t kMostBytes = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t kMostAttached = std::uint64_t{256} << 20;
constexpr std::uint64_t kBsendOverhead = 256;  // at least MPI_BSEND_OVERHEAD of both libraries
/// Every MPI takes tags up to this one.
constexpr std::int32_t kTagMask = 32767;

bool takes_message_place(Operation operation) {
  return operation == Operation::mprobe || operation == Operation::improbe ||
         operation == Operation::mrecv || operation == Operation::imrecv;
}

class RankEncoder {
 public:
  RankEncoder(const Trace& trace, const ReplayPlans& plans, std::int32_t rank,
              const ReplayOptions& options)
      : trace_(trace),
        plan_(plans.communicators),
        windows_plan_(plans.windows),
        files_(plans.files),
        rank_(rank),
        options_(options),
        calls_(trace.calls(rank)),
        comms_(trace, plans.communicators, rank),
        wildcards_(calls_) {}

  RankProgram encode(std::int64_t run_begin_ns, std::uint64_t received) {
    const RankSpan span = rank_span(calls_);
    last_end_ns_ = span.analysed.begin_ns;
    buffer_ = received;
    for (std::size_t i = span.first_call; i < calls_.size(); ++i) {
      leave_pauses_out(i);
      if (calls_.operation(i) == Operation::finalize) break;
      encode_call(i);
    }
    const std::size_t end = calls_.size();
    const bool finalized = end > 0 && calls_.operation(end - 1) == Operation::finalize;
    if (!finalized) leave_pauses_out(end);
    const std::int64_t stop = finalized ? calls_.begin_ns(end - 1) : calls_.stop_ns();
    steps_.add(static_cast<CallIndex>(finalized ? end - 1 : end), stop - last_end_ns_ - paused_ns_,
               {.operation = Operation::finalize});
    const std::int64_t start = span.analysed.begin_ns - run_begin_ns;
    return {.bytes = written(options_.common_start ? 0 : start, received),
            .calls = steps_.calls(),
            .shapes = steps_.shape_count()};
  }

 private:
  std::string written(std::int64_t start_ns, std::uint64_t received) const {
    slk_replay_head head{};
    head.steps = steps_.size();
    head.shapes = static_cast<std::uint32_t>(steps_.shape_count());
    head.comms = comms_.count();
    head.requests = places_.most();
    head.messages = message_places_.most();
    head.windows = window_places_.most();
    head.exposed = exposed_;
    head.start_ns = std::max<std::int64_t>(0, start_ns);
    head.received = received;
    head.buffer = buffer_;
    head.cpu_time = options_.cpu_time ? 1 : 0;
    head.memory_rate = options_.memory_rate;
    head.attached = std::min(attached_, kMostAttached);
    std::string bytes;
    put_bytes(bytes, head);
    comms_.write(bytes);
    steps_.write(bytes);
    return bytes;
  }

  [[noreturn]] void refuse(const Call& call, std::string_view why) const {
    throw Error("cannot replay the trace",
                fmt::format("{} of rank {} {}", mpi_name(call.operation), rank_, why),
                "Record the program again, or replay another trace.");
  }

  void encode_call(std::size_t i) {
    const Call call = calls_.action(i);
    if (call.has(SLK_FLAG_FAILED) && is_poll(call.operation)) return encode_polls(i, call);
    const OperationClass kind = operation_class(call.operation);
    if (kind == OperationClass::start) return encode_start(i, call);
    switch (kind) {
      case OperationClass::send:
      case OperationClass::isend:
        return encode_send(i, call);
      case OperationClass::recv:
      case OperationClass::irecv:
        return encode_receive(i, call);
      case OperationClass::sendrecv:
        return encode_sendrecv(i, call);
      case OperationClass::request_init:
        return encode_init(i, call);
      case OperationClass::completion:
        return encode_completion(i, call);
      case OperationClass::request_other:
        return encode_request(i, call);
      case OperationClass::probe:
        return encode_probe(i, call);
      case OperationClass::collective:
      case OperationClass::icollective:
        return encode_collective(i, call);
      case OperationClass::comm_create:
        return encode_maker(i, call);
      case OperationClass::one_sided:
        return encode_one_sided(i, call);
      case OperationClass::io:
        return encode_file(i, call);
      case OperationClass::local:
        return encode_local(i, call);
      default:
        return;  // its time is computation
    }
  }

  /// Where computation is CPU time: what the gap before that call is longer.
  void leave_pauses_out(std::size_t i) {
    if (!options_.cpu_time) return;
    const std::int64_t useful = calls_.useful_ns(i);
    paused_ns_ += std::max<std::int64_t>(0, calls_.gap_ns(i) - useful);
  }

  /// Makes the step, after whatever computation and left out calls stand before it.
  void emit(std::size_t i, const CallShape& shape, std::uint64_t polls = 0,
            std::int64_t period_ns = 0) {
    const std::int64_t begin = pending_begin_ns_.value_or(calls_.begin_ns(i));
    steps_.add(static_cast<CallIndex>(i), begin - last_end_ns_ - paused_ns_, shape, polls,
               period_ns);
    paused_ns_ = 0;
    last_end_ns_ = calls_.end_ns(i);
    pending_begin_ns_.reset();
    buffer_ = std::max(buffer_, shape.bytes);
    if (shape.bytes > kMostBytes || buffer_ > kMostBytes) {
      refuse(calls_.action(i), "needs a buffer of more than 2 GiB");
    }
  }

  CallShape shape_of(const Call& call) const {
    return {.operation = call.operation,
            .flags = 0,
            .peer = comms_.rank_in(call.comm, call.peer),
            .tag = std::max(call.tag, 0) & std::numeric_limits<std::int32_t>::max(),
            .comm = comms_.index(call.comm),
            .bytes = call.bytes};
  }

  // ---- Polls

  /// Mean time between the begins of two polls: in an untimed trace, only what they last.
  std::int64_t period_of(std::size_t i, const Call& call) const {
    const PollRun run = poll_run(call);
    return std::max(calls_.end_ns(i) - calls_.begin_ns(i), run.inside_ns.value_or(0)) / run.count;
  }

  /// Whether the next call is the poll that succeeds.
  bool succeeds_next(std::size_t i, const Call& call) const {
    if (i + 1 >= calls_.size()) return false;
    const Call next = calls_.action(i + 1);
    return next.operation == call.operation && !next.has(SLK_FLAG_FAILED) && next.comm == call.comm;
  }

  void encode_polls(std::size_t i, const Call& call) {
    if (succeeds_next(i, call)) {
      // The replay polls until it finds what it looks for, as fast as this.
      if (!pending_begin_ns_) pending_begin_ns_ = calls_.begin_ns(i);
      period_ns_ = period_of(i, call);
      return;
    }
    CallShape shape = shape_of(call);
    if (operation_class(call.operation) == OperationClass::completion) {
      shape = {.operation = call.operation};
    }
    if (call.peer < 0) shape.peer = 0;
    shape.tag = 0;
    shape.bytes = 0;
    shape.flags = SLK_REPLAY_FAILED | SLK_REPLAY_POLLED;
    emit(i, shape, static_cast<std::uint64_t>(poll_run(call).count), period_of(i, call));
  }

  /// A poll that succeeds, perhaps after others that did not.
  void emit_found(std::size_t i, CallShape shape) {
    shape.flags |= SLK_REPLAY_POLLED;
    emit(i, shape, 1, period_ns_);
    period_ns_ = 0;
  }

  // ---- Point to point

  void encode_send(std::size_t i, const Call& call) {
    if (call.has(SLK_FLAG_CANCELLED) || call.has(SLK_FLAG_FAILED)) return;
    CallShape shape = shape_of(call);
    if (is_buffered(call.operation)) attached_ += call.bytes + kBsendOverhead;
    if (operation_class(call.operation) == OperationClass::isend) {
      shape.request = places_.open(call.request);
    }
    emit(i, shape);
  }

  /// The wildcards that are posted as such.
  std::uint8_t free_flags(std::uint32_t comm, std::int32_t tag, std::uint8_t flags) const {
    if (!options_.free_wildcards || !wildcards_.is_free(comm, tag, flags)) return 0;
    return flags & (SLK_FLAG_ANY_SOURCE | SLK_FLAG_ANY_TAG);
  }

  void encode_receive(std::size_t i, const Call& call) {
    if (call.has(SLK_FLAG_FAILED)) return;
    CallShape shape = shape_of(call);
    shape.bytes = 0;  // all receives have room for the largest message
    shape.flags = free_flags(call.comm, call.tag, call.flags);
    const bool never = call.has(SLK_FLAG_CANCELLED) || call.peer == kPeerAny;
    if (never) {
      shape.flags = SLK_REPLAY_CANCELLED;
      shape.peer = 0;
    }
    if (call.operation == Operation::mrecv) shape.request = take_message(call);
    if (call.operation == Operation::imrecv) {
      shape.tag = static_cast<std::int32_t>(take_message(call));
    }
    if (operation_class(call.operation) == OperationClass::irecv) {
      shape.request = places_.open(call.request);
    }
    emit(i, shape);
  }

  void encode_sendrecv(std::size_t i, const Call& call) {
    if (call.args.size() < 2) refuse(call, "does not name its source");
    const Call receive = receive_half(call);
    CallShape shape = shape_of(call);
    const std::uint8_t flags = free_flags(call.comm, receive.tag, receive.flags);
    shape.args = {comms_.rank_in(call.comm, receive.peer), std::max(receive.tag, 0), flags};
    buffer_ = std::max(buffer_, receive.bytes);
    // MPI_Sendrecv_replace has one size for both; after an edit the received one may be larger.
    if (receive.bytes > call.bytes) shape.operation = Operation::sendrecv;
    emit(i, shape);
  }

  // ---- Probes

  /// A matched probe keeps its message until a receive takes it.
  struct Matched {
    std::uint32_t comm;
    std::int32_t peer, tag;
    std::uint32_t place;
  };

  std::uint32_t take_message(const Call& call) {
    const auto found = std::ranges::find_if(matched_, [&](const Matched& m) {
      return m.comm == call.comm && m.peer == call.peer && m.tag == call.tag;
    });
    if (found == matched_.end()) refuse(call, "receives a message that no probe has found");
    const std::uint32_t place = found->place;
    matched_.erase(found);
    message_places_.release(place);
    return place;
  }

  void encode_probe(std::size_t i, const Call& call) {
    CallShape shape = shape_of(call);
    shape.bytes = 0;
    if (takes_message_place(call.operation)) {
      shape.request = message_places_.take();
      matched_.push_back({call.comm, call.peer, call.tag, shape.request});
    }
    if (is_poll(call.operation)) return emit_found(i, shape);
    emit(i, shape);
  }

  // ---- Persistent requests

  void encode_init(std::size_t i, const Call& call) {
    CallShape shape = shape_of(call);
    shape.request = places_.open(call.request);
    shape.flags = call.flags & (SLK_FLAG_ANY_SOURCE | SLK_FLAG_ANY_TAG);
    persistent_.add(call, shape.request);
    if (is_buffered(call.operation)) attached_ += 8 * (call.bytes + kBsendOverhead);
    emit(i, shape);
  }

  void encode_start(std::size_t i, const Call& call) {
    CallShape shape{.operation = call.operation};
    const auto start = [&](const PostedMessage& started) {
      std::uint32_t place = persistent_.start(started);
      if (place == 0) place = make_persistent(started);
      places_.rename(started.request, place);
      shape.args.push_back(place);
    };
    struct Starts : IgnoreActions {
      const decltype(start)& each;
      explicit Starts(const decltype(start)& e) : each(e) {}
      void send(const PostedMessage& message) { each(message); }
      void receive(const PostedMessage& message) { each(message); }
    };
    Starts starts(start);
    visit_actions(call, starts);
    emit(i, shape);
  }

  /// Makes a request whose making is not in the trace, and starts it; such as traces have that
  /// tools wrote which leave these calls out.
  std::uint32_t make_persistent(const PostedMessage& started) {
    const Call init{.operation = started.mode,
                    .bytes = started.bytes,
                    .peer = started.peer,
                    .tag = started.tag,
                    .comm = started.comm};
    CallShape shape = shape_of(init);
    shape.request = places_.take();
    persistent_.add(init, shape.request);
    persistent_.start(started);
    if (is_buffered(started.mode)) attached_ += 8 * (started.bytes + kBsendOverhead);
    buffer_ = std::max(buffer_, started.bytes);
    steps_.add(kNoCall, 0, shape);
    return shape.request;
  }

  // ---- Completion

  /// The place of a request that is complete now; 0 if its start is not known.
  std::uint32_t completed(std::uint32_t serial) {
    const std::uint32_t place = serial == kRequestNone ? 0 : places_.find(serial);
    if (place == 0) return 0;
    places_.forget(serial);
    if (persistent_.holds(place)) {
      persistent_.complete(place);
      // MPI_Request_free names the serial of the last start.
      places_.rename(serial, place);
    } else {
      places_.release(place);
    }
    return place;
  }

  void encode_completion(std::size_t i, const Call& call) {
    CallShape shape{.operation = call.operation};
    for_each_completed_request(call, [&](std::uint32_t serial) {
      const std::uint32_t place = completed(serial);
      if (place == 0) return;
      if (lists_requests(call.operation)) {
        shape.args.push_back(place);
      } else {
        shape.request = place;
      }
    });
    const bool polls = is_poll(call.operation) || call.operation == Operation::waitsome;
    polls ? emit_found(i, shape) : emit(i, shape);
  }

  void encode_request(std::size_t i, const Call& call) {
    CallShape shape{.operation = call.operation};
    if (call.operation == Operation::request_get_status) return emit(i, shape);
    const std::uint32_t place = places_.find(call.request);
    if (place == 0) return;
    shape.request = place;
    if (call.operation == Operation::request_free) {
      persistent_.remove(place);
      places_.forget(call.request);
      places_.release(place);
    }
    emit(i, shape);
  }

  // ---- Collectives

  void encode_collective(std::size_t i, const Call& call) {
    CallShape shape = shape_of(call);
    shape.tag = std::max(call.tag, 0);
    shape.flags = call.flags & (SLK_FLAG_IN_PLACE | SLK_FLAG_NON_COMMUTATIVE);
    if (call.comm == kCommSelf && has_root(call.operation)) shape.peer = 0;
    set_blocks(call, shape);
    if (operation_class(call.operation) == OperationClass::icollective) {
      shape.request = places_.open(call.request);
    }
    emit(i, shape);
  }

  void set_blocks(const Call& call, CallShape& shape) {
    CollectiveBlocks blocks =
        collective_blocks(call, comms_.own_group(call.comm).size(), comms_.peer_count(call.comm));
    if (!blocks.problem.empty()) refuse(call, blocks.problem);
    shape.args = std::move(blocks.sizes);
    buffer_ = std::max({buffer_, blocks.room, call.bytes});
  }

  // ---- Communicators

  void encode_maker(std::size_t i, const Call& call) {
    const std::uint32_t made = made_communicator(call);
    CallShape shape{.operation = call.operation};
    if (comms_.knows(call.comm)) shape.comm = comms_.index(call.comm);
    shape.peer = made == kCommNull ? 0 : trace_.rank_in(made, rank_);
    shape.tag = made == kCommNull ? -1 : static_cast<std::int32_t>(made);
    if (made != kCommNull) shape.args = {comms_.index(made) + 1};
    const CommunicatorPlan::Made& all = plan_.made(rank_, static_cast<CallIndex>(i));
    using enum Operation;
    switch (call.operation) {
      case intercomm_create:
      case intercomm_create_from_groups:
        if (made == kCommNull) return;
        shape.peer = comms_.peers(made).front();
        shape.tag &= kTagMask;
        break;
      case intercomm_merge:
        if (goes_second(call.comm, made)) shape.flags = SLK_REPLAY_HIGH;
        break;
      case comm_create_group:
      case comm_create_from_group:
        if (made == kCommNull) return;
        shape.tag &= kTagMask;
        break;
      case comm_split_type:
        shape.bytes = all.all ? 1 : 0;
        break;
      case cart_create:
      case cart_sub:
      case graph_create:
      case dist_graph_create:
      case dist_graph_create_adjacent:
        shape.bytes = call.operation == cart_create ? all.first_members : 0;
        shape.request = all.topology ? 1 : 0;
        break;
      case comm_idup:
      case comm_idup_with_info:
        shape.request = places_.open(call.request);
        break;
      default:
        break;
    }
    emit(i, shape);
  }

  /// Whether the rank's group of an intercommunicator has the higher ranks in what it is merged to.
  bool goes_second(std::uint32_t inter, std::uint32_t made) const {
    if (made == kCommNull || !comms_.knows(inter)) return false;
    const auto& own = comms_.own_group(inter);
    const std::int32_t first = trace_.communicators()[made].members.front();
    return std::ranges::find(own, first) == own.end();
  }

  // ---- Windows and files

  void encode_one_sided(std::size_t i, const Call& call) {
    const std::optional<WindowId> window = windows_.next(call);
    if (!window) refuse(call, "does not tell its window");
    CallShape shape{.operation = call.operation,
                    .peer = comms_.rank_in(window->comm, call.peer),
                    .comm = comms_.index(window->comm),
                    .bytes = call.bytes};
    if (opens_object(call.operation)) return make_window(i, shape, *window);
    shape.args = {window_at_[*window]};
    using enum Operation;
    switch (call.operation) {
      case win_free:
        window_places_.release(window_at_[*window]);
        break;
      case win_lock:
        shape.tag = call.tag % 2;
        break;
      case win_post:
      case win_start:
        for (const std::int64_t world : call.args) {
          shape.args.push_back(comms_.rank_in(window->comm, static_cast<std::int32_t>(world)));
        }
        break;
      case win_test:
        return encode_window_test(i, call, shape);
      default:
        if (call.request != kRequestNone) shape.request = places_.open(call.request);
    }
    emit(i, shape);
  }

  void make_window(std::size_t i, CallShape& shape, const WindowId& window) {
    const std::uint64_t bytes = windows_plan_.bytes(window, rank_);
    window_at_[window] = window_places_.take();
    shape.args = {window_at_[window], static_cast<std::int64_t>(bytes)};
    const bool own_memory = shape.operation == Operation::win_create ||
                            shape.operation == Operation::win_create_dynamic;
    if (own_memory) exposed_ = std::max(exposed_, bytes);
    emit(i, shape);
  }

  /// A test that fails in the run might end the epoch in the replay. So only those are made again
  /// that the successful one follows at once: as its polls.
  void encode_window_test(std::size_t i, const Call& call, const CallShape& shape) {
    if (!call.has(SLK_FLAG_FAILED)) return emit_found(i, shape);
    std::size_t next = i + 1;
    const auto is_test = [&](std::size_t k) {
      return k < calls_.size() && calls_.operation(k) == Operation::win_test &&
             calls_.comm(k) == call.comm;
    };
    while (is_test(next) && calls_.has(next, SLK_FLAG_FAILED)) ++next;
    if (!is_test(next)) return;
    if (!pending_begin_ns_) pending_begin_ns_ = calls_.begin_ns(i);
    period_ns_ = calls_.begin_ns(i + 1) - calls_.begin_ns(i);
  }

  void encode_file(std::size_t i, const Call& call) {
    const FilePlan::Access access = files_.access(rank_, static_cast<CallIndex>(i));
    CallShape shape{.operation = call.operation, .flags = SLK_REPLAY_POLLED};
    if (reads_file(call.operation)) shape.flags |= SLK_REPLAY_READS;
    if (writes_file(call.operation)) shape.flags |= SLK_REPLAY_WRITES;
    if (options_.files) shape.bytes = call.bytes;
    if (access.comm != kCommNull) {
      shape.comm = comms_.index(access.comm);
      shape.args = {1};
    }
    emit(i, shape, 1, access.ns);
  }

  void encode_local(std::size_t i, const Call& call) {
    using enum Operation;
    switch (call.operation) {
      case comm_free:
      case comm_disconnect:
        if (call.comm > kCommSelf && comms_.knows(call.comm)) {
          emit(i, {.operation = call.operation, .comm = comms_.index(call.comm)});
        }
        return;
      case pack:
      case unpack:
        return emit(i, {.operation = call.operation,
                        .comm = comms_.knows(call.comm) ? comms_.index(call.comm) : kCommWorld,
                        .bytes = call.bytes});
      case pcontrol:
        return emit(i, {.operation = call.operation});
      default:
        return;
    }
  }

  const Trace& trace_;
  const CommunicatorPlan& plan_;
  const WindowPlan& windows_plan_;
  const FilePlan& files_;
  std::int32_t rank_;
  const ReplayOptions& options_;
  const RankCalls& calls_;
  RankCommunicators comms_;
  FreeWildcards wildcards_;
  RequestPlaces places_;
  RequestPlaces message_places_;
  RankWindows windows_;
  RequestPlaces window_places_;
  std::map<WindowId, std::uint32_t> window_at_;
  PersistentRequests persistent_;
  std::vector<Matched> matched_;
  StepList steps_;
  std::int64_t last_end_ns_ = 0;
  std::int64_t paused_ns_ = 0;                    // since then
  std::optional<std::int64_t> pending_begin_ns_;  // of polls that the next call goes on with
  std::int64_t period_ns_ = 0;
  std::uint64_t buffer_ = 0;
  std::uint64_t attached_ = 0;
  std::uint64_t exposed_ = 0;
};

}  // namespace

std::vector<std::uint64_t> largest_received(const Trace& trace, const CallMatching& matching) {
  std::vector<std::uint64_t> largest(static_cast<std::size_t>(trace.ranks()));
  for (const MessageCalls& message : matching.messages()) {
    auto& most = largest[static_cast<std::size_t>(message.destination)];
    most = std::max<std::uint64_t>(most, message.bytes);
  }
  return largest;
}

RankProgram rank_program(const Trace& trace, const ReplayPlans& plans, std::int32_t rank,
                         std::int64_t run_begin_ns, std::uint64_t largest_received,
                         const ReplayOptions& options) {
  return RankEncoder(trace, plans, rank, options).encode(run_begin_ns, largest_received);
}

}  // namespace slackline
