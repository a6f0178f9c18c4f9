// Which call belongs to which?
//
// The problem: diagnosis of a measured run speaks of calls (this receive waited for that send), not
// of the messages into which a model expands them. The idea: MPI's messages between two ranks on
// one communicator and tag do not overtake, and a Trace says of every receive which source and tag
// it really got; so the k-th send of such a stream belongs to the k-th receive, in the order of
// posting, and no execution is needed to find out. The first walk over all calls queues the sends
// of each stream, the second hands them out to receives and follows requests to the calls that
// complete them. The k-th collective call on a communicator is one collective on all its members.
// Cost: linear; two look-ups in a hash table of streams per message and one of open requests.

#include "diagnosis/call_matching.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/flat_map.h"

namespace slackline {
namespace {

constexpr FindingKind kUnmatchedReceive{
    "unmatched_receive", Severity::data_loss,
    "Receives whose message nobody sent in the trace; they count as waiting for nobody."};
constexpr FindingKind kUnmatchedSend{
    "unmatched_send", Severity::notice,
    "Messages that nobody receives in the trace; they count as waited for by nobody."};
constexpr FindingKind kIncompleteCollective{
    "collective_incomplete", Severity::data_loss,
    "Some ranks of a communicator never enter a collective; waiting is that among those that do."};
constexpr FindingKind kMismatchedCollective{
    "collective_mismatch", Severity::notice,
    "Ranks disagree about which collective they call on a communicator; the first rank's word was "
    "taken."};

constexpr FindingKind kNoCalls{
    "ranks_without_calls", Severity::data_loss,
    "Ranks of which the trace has no calls; what is said is of the others."};

constexpr std::size_t kStartGroup = 6;  // request, operation, peer, tag, bytes, communicator

struct Stream {
  std::int32_t source = 0;
  std::int32_t destination = 0;
  std::int32_t tag = 0;
  std::uint32_t comm = 0;
  bool operator==(const Stream&) const = default;
};

struct StreamHash {
  std::uint64_t operator()(const Stream& s) const {
    const auto word = [](auto low, auto high) {
      return static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32 |
             static_cast<std::uint32_t>(low);
    };
    return mix_bits(word(s.source, s.destination) ^ mix_bits(word(s.tag, s.comm)));
  }
};

struct SerialHash {
  std::uint64_t operator()(std::uint32_t serial) const { return mix_bits(serial); }
};

struct Posted {
  std::int32_t peer;
  std::int32_t tag;
  std::uint32_t comm;
  std::uint64_t bytes;
  std::uint32_t request;  // kRequestNone when blocking
  Operation mode;
};

bool is_lost(const Call& call) {
  return call.has(SLK_FLAG_CANCELLED) || call.has(SLK_FLAG_FAILED);
}

template <class Visit>
void for_each_started(const Call& call, bool receives, Visit visit) {
  for (std::size_t at = 0; at + kStartGroup <= call.args.size(); at += kStartGroup) {
    const auto group = call.args.subspan(at, kStartGroup);
    const auto mode = static_cast<Operation>(group[1]);
    if ((mode == Operation::recv_init) != receives) continue;
    visit(Posted{static_cast<std::int32_t>(group[2]), static_cast<std::int32_t>(group[3]),
                 static_cast<std::uint32_t>(group[5]), static_cast<std::uint64_t>(group[4]),
                 static_cast<std::uint32_t>(group[0]), mode});
  }
}

template <class Visit>
void for_each_send(const Call& call, Visit visit) {
  const OperationClass kind = operation_class(call.operation);
  switch (kind) {
    case OperationClass::send:
    case OperationClass::isend:
    case OperationClass::sendrecv:
      if (!is_lost(call)) {
        visit(Posted{call.peer, call.tag, call.comm, call.bytes,
                     kind == OperationClass::isend ? call.request : kRequestNone, call.operation});
      }
      return;
    case OperationClass::start:
      return for_each_started(call, false, visit);
    default:
      return;
  }
}

template <class Visit>
void for_each_receive(const Call& call, Visit visit) {
  const OperationClass kind = operation_class(call.operation);
  switch (kind) {
    case OperationClass::recv:
    case OperationClass::irecv:
      if (!is_lost(call)) {
        visit(Posted{call.peer, call.tag, call.comm, call.bytes,
                     kind == OperationClass::irecv ? call.request : kRequestNone, call.operation});
      }
      return;
    case OperationClass::sendrecv:
      if (call.args.size() >= 2) {
        visit(Posted{static_cast<std::int32_t>(call.args[0]),
                     static_cast<std::int32_t>(call.args[1]), call.comm, 0, kRequestNone,
                     call.operation});
      }
      return;
    case OperationClass::start:
      return for_each_started(call, true, visit);
    default:
      return;
  }
}

bool is_synchronous(Operation mode) {
  return mode == Operation::ssend || mode == Operation::issend || mode == Operation::ssend_init;
}
bool is_buffered(Operation mode) {
  return mode == Operation::bsend || mode == Operation::ibsend || mode == Operation::bsend_init;
}

bool moves_bytes(const Call& call) {
  return call.bytes > 0 || std::ranges::any_of(call.args, [](std::int64_t n) { return n > 0; });
}

}  // namespace

/// Fills a CallMatching; see above.
class MatchingWalk {
 public:
  MatchingWalk(const Trace& trace, CallMatching& out) : trace_(trace), out_(out) {}

  void run() {
    for (std::int32_t rank = 0; rank < trace_.ranks(); ++rank) queue_sends(rank);
    by_comm_.resize(trace_.communicators().size());
    out_.completions_.resize(static_cast<std::size_t>(trace_.ranks()));
    for (std::int32_t rank = 0; rank < trace_.ranks(); ++rank) walk(rank);
    finish();
  }

 private:
  using Kind = CallMatching::Completion::Kind;
  struct Queue {
    std::uint32_t head = kNone;
    std::uint32_t tail = kNone;
  };
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  bool exists(std::int32_t peer) const { return peer >= 0 && peer < trace_.ranks(); }

  void queue_sends(std::int32_t rank) {
    const RankCalls& calls = trace_.calls(rank);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const OperationClass kind = operation_class(calls.operation(i));
      if (kind != OperationClass::send && kind != OperationClass::isend &&
          kind != OperationClass::sendrecv && kind != OperationClass::start) {
        continue;
      }
      for_each_send(calls[i], [&](const Posted& p) {
        if (exists(p.peer)) queue_send(rank, static_cast<CallIndex>(i), p);
      });
    }
  }

  void queue_send(std::int32_t rank, CallIndex call, const Posted& p) {
    const auto id = static_cast<std::uint32_t>(out_.messages_.size());
    expects(id < (1u << CallMatching::kIdBits), "messages can be numbered");
    MessageCalls m;
    m.source = rank;
    m.destination = p.peer;
    m.send = call;
    m.bytes = p.bytes & ((std::uint64_t{1} << 61) - 1);
    m.synchronous = is_synchronous(p.mode) ? 1 : 0;
    m.buffered = is_buffered(p.mode) ? 1 : 0;
    out_.messages_.push_back(m);
    next_.push_back(kNone);
    Queue& queue = streams_[{rank, p.peer, p.tag, p.comm}];
    (queue.head == kNone ? queue.head : next_[queue.tail]) = id;
    queue.tail = id;
  }

  void walk(std::int32_t rank) {
    const RankCalls& calls = trace_.calls(rank);
    auto& mine = out_.completions_[static_cast<std::size_t>(rank)];
    mine.first.reserve(calls.size() + 1);
    open_ = {};
    sequence_.assign(by_comm_.size(), 0);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      mine.first.push_back(static_cast<std::uint32_t>(mine.entries.size()));
      visit(rank, static_cast<CallIndex>(i), calls[i], mine.entries);
    }
    mine.first.push_back(static_cast<std::uint32_t>(mine.entries.size()));
    mine.entries.shrink_to_fit();
  }

  void visit(std::int32_t rank, CallIndex i, const Call& call,
             std::vector<std::uint32_t>& entries) {
    switch (operation_class(call.operation)) {
      case OperationClass::send:
      case OperationClass::recv:
      case OperationClass::sendrecv:
      case OperationClass::isend:
      case OperationClass::irecv:
      case OperationClass::start:
        for_each_receive(call, [&](const Posted& p) { receive(rank, i, p, entries); });
        for_each_send(call, [&](const Posted& p) {
          if (exists(p.peer)) post(rank, i, Kind::outgoing, next_send_++, p.request, entries);
        });
        return;
      case OperationClass::completion:
        if (call.has(SLK_FLAG_FAILED)) return;
        if (call.request != kRequestNone) complete(rank, i, call.request, entries);
        for (const std::int64_t serial : call.args) {
          complete(rank, i, static_cast<std::uint32_t>(serial), entries);
        }
        return;
      case OperationClass::request_other:
        if (call.operation == Operation::request_free) open_.erase(call.request);
        return;
      case OperationClass::collective:
      case OperationClass::icollective:
      case OperationClass::comm_create:
        return collective(rank, i, call, entries);
      case OperationClass::environment:
        if (call.operation == Operation::abort) return;
        return global(rank, i, call.operation == Operation::finalize, entries);
      default:
        return;
    }
  }

  void receive(std::int32_t rank, CallIndex i, const Posted& p,
               std::vector<std::uint32_t>& entries) {
    if (!exists(p.peer)) return;
    Queue* queue = streams_.find({p.peer, rank, p.tag, p.comm});
    if (queue == nullptr || queue->head == kNone) {
      out_.findings_.add(kUnmatchedReceive,
                         fmt::format("rank {} call {}: from {} tag {}", rank, i, p.peer, p.tag));
      return;
    }
    const std::uint32_t id = queue->head;
    queue->head = next_[id];
    out_.messages_[id].receive = i;
    post(rank, i, Kind::incoming, id, p.request, entries);
  }

  /// Something was started by call `i`: a request, or done at once.
  void post(std::int32_t rank, CallIndex i, Kind kind, std::uint32_t id, std::uint32_t request,
            std::vector<std::uint32_t>& entries) {
    const std::uint32_t entry = static_cast<std::uint32_t>(kind) << CallMatching::kIdBits | id;
    if (request == kRequestNone) return done(rank, i, entry, entries);
    open_[request] = entry;
  }

  void complete(std::int32_t rank, CallIndex i, std::uint32_t request,
                std::vector<std::uint32_t>& entries) {
    const std::uint32_t* entry = open_.find(request);
    if (entry == nullptr) return;
    done(rank, i, *entry, entries);
    open_.erase(request);
  }

  void done(std::int32_t rank, CallIndex i, std::uint32_t entry,
            std::vector<std::uint32_t>& entries) {
    const CallMatching::Completion c = CallMatching::unpack(entry);
    if (c.kind == Kind::incoming) out_.messages_[c.id].receive_done = i;
    if (c.kind == Kind::outgoing) out_.messages_[c.id].send_done = i;
    if (c.kind == Kind::collective) {
      CollectiveInstance& instance = out_.collectives_[c.id];
      // Ranks are walked one after the other, so this rank's entry is the newest.
      CollectiveMember& me = out_.members_[instance.first_member + instance.member_count - 1];
      if (me.rank == rank) me.done = i;
    }
    entries.push_back(entry);
  }

  void collective(std::int32_t rank, CallIndex i, const Call& call,
                  std::vector<std::uint32_t>& entries) {
    if (call.comm >= by_comm_.size() || call.comm == kCommSelf) return;
    const std::uint32_t k = sequence_[call.comm]++;
    auto& known = by_comm_[call.comm];
    const Operation operation = blocking_form(call.operation);
    if (k == known.size()) known.push_back(add_instance(operation, call.comm));
    const std::uint32_t id = known[k];
    CollectiveInstance& instance = out_.collectives_[id];
    if (instance.operation != operation) {
      out_.findings_.add(kMismatchedCollective,
                         fmt::format("rank {}: {}, others {}", rank, identifier(operation),
                                     identifier(instance.operation)));
    }
    if (call.peer >= 0) instance.root = call.peer;
    if (!enter(id, rank, i, moves_bytes(call))) return;
    post(rank, i, Kind::collective, id, call.request, entries);
  }

  void global(std::int32_t rank, CallIndex i, bool finalize, std::vector<std::uint32_t>& entries) {
    std::uint32_t& id = finalize ? finalize_ : init_;
    if (id == kNone) {
      id = add_instance(finalize ? Operation::finalize : Operation::init, kCommWorld);
    }
    if (enter(id, rank, i, false)) done(rank, i, pack_collective(id), entries);
  }

  static std::uint32_t pack_collective(std::uint32_t id) {
    return static_cast<std::uint32_t>(Kind::collective) << CallMatching::kIdBits | id;
  }

  std::uint32_t capacity(std::uint32_t comm) const {
    const Communicator& c = trace_.communicators()[comm];
    if (comm == kCommWorld || c.members.empty()) return static_cast<std::uint32_t>(trace_.ranks());
    return static_cast<std::uint32_t>(c.members.size() + c.remote.size());
  }

  std::uint32_t add_instance(Operation operation, std::uint32_t comm) {
    CollectiveInstance instance;
    instance.operation = operation;
    instance.comm = comm;
    instance.first_member = static_cast<std::uint32_t>(out_.members_.size());
    out_.members_.resize(out_.members_.size() + capacity(comm));
    out_.collectives_.push_back(instance);
    return static_cast<std::uint32_t>(out_.collectives_.size() - 1);
  }

  bool enter(std::uint32_t id, std::int32_t rank, CallIndex i, bool moves) {
    CollectiveInstance& instance = out_.collectives_[id];
    if (instance.member_count == capacity(instance.comm)) return false;
    CollectiveMember& last = out_.members_[instance.first_member + instance.member_count];
    last = {rank, i, kNoCall, moves};
    ++instance.member_count;
    return true;
  }

  void finish() {
    for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
      if (trace_.calls(r).empty()) out_.findings_.add(kNoCalls, fmt::format("rank {}", r));
    }
    for (const CollectiveInstance& c : out_.collectives_) {
      const std::uint32_t expected = capacity(c.comm);
      if (c.member_count == expected) continue;
      out_.findings_.add(kIncompleteCollective,
                         fmt::format("{} on communicator {}: {} of {} ranks",
                                     identifier(c.operation), c.comm, c.member_count, expected));
    }
    for (MessageCalls& m : out_.messages_) {
      m.sender_waited = sender_waited(m) ? 1 : 0;
      if (m.matched()) continue;
      out_.findings_.add(kUnmatchedSend, fmt::format("rank {} call {} to rank {}", m.source, m.send,
                                                     m.destination));
    }
  }

  bool sender_waited(const MessageCalls& m) const {
    if (!m.matched() || m.send_done == kNoCall || m.buffered != 0) return false;
    const RankCalls& sender = trace_.calls(m.source);
    const std::int64_t posted = trace_.calls(m.destination).begin_ns(m.receive);
    return posted > sender.begin_ns(m.send_done) && posted <= sender.end_ns(m.send_done);
  }

  const Trace& trace_;
  CallMatching& out_;
  FlatMap<Stream, Queue, StreamHash> streams_;
  std::vector<std::uint32_t> next_;  // of each message: the next one of its stream
  FlatMap<std::uint32_t, std::uint32_t, SerialHash> open_;
  std::vector<std::uint32_t> sequence_;
  std::vector<std::vector<std::uint32_t>> by_comm_;
  std::uint32_t next_send_ = 0;
  std::uint32_t init_ = kNone;
  std::uint32_t finalize_ = kNone;
};

CallMatching::CallMatching(const Trace& trace) {
  MatchingWalk(trace, *this).run();
}

const CollectiveMember* CallMatching::member(const CollectiveInstance& c, std::int32_t rank) const {
  const auto all = members(c);
  const auto found = std::ranges::lower_bound(all, rank, {}, &CollectiveMember::rank);
  return found == all.end() || found->rank != rank ? nullptr : &*found;
}

}  // namespace slackline
