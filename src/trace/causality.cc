// Which receives end before their send began?
//
// MPI does not let messages of one source, destination, communicator and tag overtake one another,
// and a Trace says of every receive which source and tag its message really had. So the k-th send
// of such a stream belongs to the k-th receive, in the order in which they were posted. Sends are
// first sorted into their destination's list (keeping each rank's order), then every destination
// hands out the sends of its streams to its receives. A nonblocking receive ends when the call that
// completed its request ended. Cost: linear; per message one entry of a hash table that is as large
// as one rank's number of streams.

#include "trace/causality.h"

#include <fmt/format.h>

#include <limits>
#include <utility>
#include <vector>

#include "base/flat_map.h"
#include "base/parallel.h"

namespace slackline {
namespace {

struct Stream {
  std::int32_t source = 0;
  std::int32_t tag = 0;
  std::uint32_t comm = 0;
  bool operator==(const Stream&) const = default;
};

struct StreamHash {
  std::uint64_t operator()(const Stream& s) const {
    const auto low = [](auto v) { return static_cast<std::uint64_t>(v) & 0xffffffffu; };
    return mix_bits(mix_bits(low(s.source) | low(s.tag) << 32) ^ s.comm);
  }
};

struct RequestHash {
  std::uint64_t operator()(std::uint32_t request) const { return mix_bits(request); }
};

struct Send {
  Stream stream;
  std::int64_t begin_ns;
};

struct Receive {
  Stream stream;
  std::int64_t end_ns;  // kUnknown until the request is completed
};

constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kStartArguments = 6;  // serial, operation, peer, tag, bytes, communicator

bool is_lost(const Call& call) {
  return call.has(SLK_FLAG_CANCELLED) || call.has(SLK_FLAG_FAILED);
}

// Calls visit(destination, tag, communicator) for every message that `call` sends.
template <class Visit>
void for_each_send(const Call& call, Visit visit) {
  switch (operation_class(call.operation)) {
    case OperationClass::send:
    case OperationClass::sendrecv:
    case OperationClass::isend:
      if (!is_lost(call)) visit(call.peer, call.tag, call.comm);
      return;
    case OperationClass::start:
      for (std::size_t i = 0; i + kStartArguments <= call.args.size(); i += kStartArguments) {
        if (call.args[i + 1] == static_cast<std::int64_t>(Operation::recv_init)) continue;
        visit(static_cast<std::int32_t>(call.args[i + 2]),
              static_cast<std::int32_t>(call.args[i + 3]),
              static_cast<std::uint32_t>(call.args[i + 5]));
      }
      return;
    default:
      return;
  }
}

// All sends by destination, in the order of each source's program.
std::vector<std::vector<Send>> sends_by_destination(const Trace& trace) {
  std::vector<std::vector<Send>> sends(static_cast<std::size_t>(trace.ranks()));
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    const RankCalls& calls = trace.calls(rank);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const Call call = calls[i];
      for_each_send(call, [&](std::int32_t to, std::int32_t tag, std::uint32_t comm) {
        if (to < 0 || to >= trace.ranks()) return;
        sends[static_cast<std::size_t>(to)].push_back({{rank, tag, comm}, call.begin_ns});
      });
    }
  }
  return sends;
}

// The receives of one rank in the order in which they were posted.
class ReceiveList {
 public:
  explicit ReceiveList(const RankCalls& calls) {
    for (std::size_t i = 0; i < calls.size(); ++i) add(calls[i]);
  }
  const std::vector<Receive>& receives() const { return receives_; }

 private:
  void add(const Call& call) {
    switch (operation_class(call.operation)) {
      case OperationClass::recv:
        if (!is_lost(call)) post(call.peer, call.tag, call.comm, call.end_ns);
        return;
      case OperationClass::sendrecv:
        if (call.args.size() >= 2) {
          post(static_cast<std::int32_t>(call.args[0]), static_cast<std::int32_t>(call.args[1]),
               call.comm, call.end_ns);
        }
        return;
      case OperationClass::irecv:
        if (is_lost(call)) return;
        pending_[call.request] = receives_.size();
        post(call.peer, call.tag, call.comm, kUnknown);
        return;
      case OperationClass::start:
        add_starts(call);
        return;
      case OperationClass::completion:
        if (call.has(SLK_FLAG_FAILED)) return;
        complete(call.request, call.end_ns);
        for (const std::int64_t request : call.args) {
          complete(static_cast<std::uint32_t>(request), call.end_ns);
        }
        return;
      default:
        return;
    }
  }

  void add_starts(const Call& call) {
    for (std::size_t i = 0; i + kStartArguments <= call.args.size(); i += kStartArguments) {
      if (call.args[i + 1] != static_cast<std::int64_t>(Operation::recv_init)) continue;
      pending_[static_cast<std::uint32_t>(call.args[i])] = receives_.size();
      post(static_cast<std::int32_t>(call.args[i + 2]), static_cast<std::int32_t>(call.args[i + 3]),
           call.comm, kUnknown);
    }
  }

  void post(std::int32_t source, std::int32_t tag, std::uint32_t comm, std::int64_t end) {
    receives_.push_back({{source, tag, comm}, end});
  }

  void complete(std::uint32_t request, std::int64_t end) {
    if (const std::size_t* receive = pending_.find(request)) {
      receives_[*receive].end_ns = end;
      pending_.erase(request);
    }
  }

  std::vector<Receive> receives_;
  FlatMap<std::uint32_t, std::size_t, RequestHash> pending_;
};

CausalityCheck check_rank(const Trace& trace, std::int32_t rank, const std::vector<Send>& sends) {
  constexpr std::size_t kEnd = std::numeric_limits<std::size_t>::max();
  struct Queue {
    std::size_t head = kEnd;
    std::size_t tail = kEnd;
  };
  FlatMap<Stream, Queue, StreamHash> streams;
  std::vector<std::size_t> next(sends.size(), kEnd);
  for (std::size_t i = 0; i < sends.size(); ++i) {
    Queue& queue = streams[sends[i].stream];
    (queue.tail == kEnd ? queue.head : next[queue.tail]) = i;
    queue.tail = i;
  }
  CausalityCheck check;
  const ReceiveList list(trace.calls(rank));
  for (const Receive& receive : list.receives()) {
    Queue* queue = streams.find(receive.stream);
    if (queue == nullptr || queue->head == kEnd) continue;
    const Send& send = sends[queue->head];
    queue->head = next[queue->head];
    if (receive.end_ns == kUnknown) continue;
    ++check.messages;
    if (receive.end_ns >= send.begin_ns) continue;
    ++check.violations;
    if (send.begin_ns - receive.end_ns <= check.worst_ns) continue;
    check.worst_ns = send.begin_ns - receive.end_ns;
    check.worst = fmt::format("rank {} received from rank {} (tag {}) {} ns before it was sent",
                              rank, receive.stream.source, receive.stream.tag, check.worst_ns);
  }
  return check;
}

}  // namespace

CausalityCheck count_causality_violations(Trace& trace) {
  CausalityCheck all;
  if (!trace.timed()) return all;
  const auto sends = sends_by_destination(trace);
  std::vector<CausalityCheck> checks(sends.size());
  parallel_for(sends.size(), [&](std::size_t rank) {
    checks[rank] = check_rank(trace, static_cast<std::int32_t>(rank), sends[rank]);
  });
  for (CausalityCheck& check : checks) {
    all.messages += check.messages;
    all.violations += check.violations;
    if (check.worst_ns <= all.worst_ns) continue;
    all.worst_ns = check.worst_ns;
    all.worst = std::move(check.worst);
  }
  if (all.violations > 0) trace.findings().add(kCausalityViolated, all.worst, all.violations);
  return all;
}

}  // namespace slackline
