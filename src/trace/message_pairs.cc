// Which receive got which send?
//
// Sends are first sorted into their destination's list (keeping each rank's order), then every
// destination hands out the sends of its streams to its receives. A nonblocking receive ends with
// the call that completed its request. Cost: linear; per message one entry of a hash table that is
// as large as one rank's number of streams.

#include "trace/message_pairs.h"

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
  std::uint64_t bytes;
  std::uint32_t call;
};

struct Receive {
  Stream stream;
  std::uint32_t post;
  std::uint32_t done;
};

constexpr std::size_t kStartArguments = 6;  // serial, operation, peer, tag, bytes, communicator

bool is_lost(const Call& call) {
  return call.has(SLK_FLAG_CANCELLED) || call.has(SLK_FLAG_FAILED);
}

// Calls visit(destination, tag, communicator, bytes) for every message that `call` sends.
template <class Visit>
void for_each_send(const Call& call, Visit visit) {
  switch (operation_class(call.operation)) {
    case OperationClass::send:
    case OperationClass::sendrecv:
    case OperationClass::isend:
      if (!is_lost(call)) visit(call.peer, call.tag, call.comm, call.bytes);
      return;
    case OperationClass::start:
      for (std::size_t i = 0; i + kStartArguments <= call.args.size(); i += kStartArguments) {
        if (call.args[i + 1] == static_cast<std::int64_t>(Operation::recv_init)) continue;
        visit(static_cast<std::int32_t>(call.args[i + 2]),
              static_cast<std::int32_t>(call.args[i + 3]),
              static_cast<std::uint32_t>(call.args[i + 5]),
              static_cast<std::uint64_t>(call.args[i + 4]));
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
      for_each_send(
          call, [&](std::int32_t to, std::int32_t tag, std::uint32_t comm, std::uint64_t bytes) {
            if (to < 0 || to >= trace.ranks()) return;
            sends[static_cast<std::size_t>(to)].push_back(
                {{rank, tag, comm}, bytes, static_cast<std::uint32_t>(i)});
          });
    }
  }
  return sends;
}

// The receives of one rank in the order in which they were posted.
class ReceiveList {
 public:
  explicit ReceiveList(const RankCalls& calls) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      at_ = static_cast<std::uint32_t>(i);
      add(calls[i]);
    }
  }
  const std::vector<Receive>& receives() const { return receives_; }

 private:
  void add(const Call& call) {
    switch (operation_class(call.operation)) {
      case OperationClass::recv:
        if (!is_lost(call)) post(call.peer, call.tag, call.comm, at_);
        return;
      case OperationClass::sendrecv:
        if (call.args.size() >= 2) {
          post(static_cast<std::int32_t>(call.args[0]), static_cast<std::int32_t>(call.args[1]),
               call.comm, at_);
        }
        return;
      case OperationClass::irecv:
        if (is_lost(call)) return;
        pending_[call.request] = receives_.size();
        post(call.peer, call.tag, call.comm, MessagePair::kNeverCompleted);
        return;
      case OperationClass::start:
        add_starts(call);
        return;
      case OperationClass::completion:
        if (call.has(SLK_FLAG_FAILED)) return;
        complete(call.request);
        for (const std::int64_t request : call.args) {
          complete(static_cast<std::uint32_t>(request));
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
           call.comm, MessagePair::kNeverCompleted);
    }
  }

  void post(std::int32_t source, std::int32_t tag, std::uint32_t comm, std::uint32_t done) {
    receives_.push_back({{source, tag, comm}, at_, done});
  }

  void complete(std::uint32_t request) {
    if (const std::size_t* receive = pending_.find(request)) {
      receives_[*receive].done = at_;
      pending_.erase(request);
    }
  }

  std::uint32_t at_ = 0;
  std::vector<Receive> receives_;
  FlatMap<std::uint32_t, std::size_t, RequestHash> pending_;
};

std::vector<MessagePair> pair_rank(const Trace& trace, std::size_t rank,
                                   const std::vector<Send>& sends) {
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
  std::vector<MessagePair> pairs;
  const ReceiveList list(trace.calls(static_cast<std::int32_t>(rank)));
  for (const Receive& receive : list.receives()) {
    Queue* queue = streams.find(receive.stream);
    if (queue == nullptr || queue->head == kEnd) continue;
    const Send& send = sends[queue->head];
    queue->head = next[queue->head];
    pairs.push_back({.bytes = send.bytes,
                     .source = send.stream.source,
                     .tag = send.stream.tag,
                     .comm = send.stream.comm,
                     .send = send.call,
                     .post = receive.post,
                     .done = receive.done});
  }
  return pairs;
}

}  // namespace

std::vector<std::vector<MessagePair>> pair_messages(const Trace& trace) {
  auto sends = sends_by_destination(trace);
  std::vector<std::vector<MessagePair>> pairs(sends.size());
  parallel_for(sends.size(), [&](std::size_t rank) {
    pairs[rank] = pair_rank(trace, rank, sends[rank]);
    sends[rank] = {};
  });
  return pairs;
}

}  // namespace slackline
