// Which receive got which send?
//
// Sends are first sorted into their destination's list (keeping each rank's order), then every
// destination hands out the sends of its streams to its receives. A nonblocking receive ends with
// the call that completed its request. Cost: linear; per message one entry of a hash table that is
// as large as one rank's number of streams.

#include "trace/message_pairs.h"

#include <algorithm>

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
  std::uint32_t call;
  std::uint64_t bytes;
  Send* next = nullptr;  // of the same stream to the same destination
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

bool may_send(Operation operation) {
  switch (operation_class(operation)) {
    case OperationClass::send:
    case OperationClass::sendrecv:
    case OperationClass::isend:
    case OperationClass::start:
      return true;
    default:
      return false;
  }
}

// Sends of some sources, those after one another, by destination; in the order of each source's
// program.
using SendsByDestination = std::vector<std::vector<Send>>;

SendsByDestination sends_of(const Trace& trace, std::int32_t first, std::int32_t last) {
  SendsByDestination sends(static_cast<std::size_t>(trace.ranks()));
  for (std::int32_t rank = first; rank < last; ++rank) {
    const RankCalls& calls = trace.calls(rank);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (!may_send(calls.operation(i))) continue;
      for_each_send(calls[i], [&](std::int32_t to, std::int32_t tag, std::uint32_t comm,
                                  std::uint64_t bytes) {
        if (to < 0 || to >= trace.ranks()) return;
        sends[static_cast<std::size_t>(to)].push_back(
            {{rank, tag, comm}, static_cast<std::uint32_t>(i), bytes});
      });
    }
  }
  return sends;
}

// All sends, a thread's share of the sources in each element.
std::vector<SendsByDestination> all_sends(const Trace& trace) {
  const auto ranks = static_cast<std::size_t>(trace.ranks());
  const std::size_t shares = std::min<std::size_t>(ranks, hardware_threads());
  std::vector<SendsByDestination> sends(shares);
  parallel_for(shares, [&](std::size_t i) {
    sends[i] = sends_of(trace, static_cast<std::int32_t>(ranks * i / shares),
                        static_cast<std::int32_t>(ranks * (i + 1) / shares));
  });
  return sends;
}

// The receives of one rank in the order in which they were posted.
class ReceiveList {
 public:
  explicit ReceiveList(const RankCalls& calls) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (!may_receive(calls.operation(i))) continue;
      at_ = static_cast<std::uint32_t>(i);
      add(calls[i]);
    }
  }
  const std::vector<Receive>& receives() const { return receives_; }

 private:
  static bool may_receive(Operation operation) {
    switch (operation_class(operation)) {
      case OperationClass::recv:
      case OperationClass::sendrecv:
      case OperationClass::irecv:
      case OperationClass::start:
      case OperationClass::completion:
        return true;
      default:
        return false;
    }
  }
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

// The sends to one destination, queued by stream.
class SendQueues {
 public:
  void add(std::vector<Send>& sends) {
    for (Send& send : sends) {
      Queue& queue = streams_[send.stream];
      (queue.head == nullptr ? queue.head : queue.tail->next) = &send;
      queue.tail = &send;
    }
  }
  // Null when there is none left.
  const Send* take(const Stream& stream) {
    Queue* const queue = streams_.find(stream);
    if (queue == nullptr || queue->head == nullptr) return nullptr;
    const Send* const send = queue->head;
    queue->head = send->next;
    return send;
  }

 private:
  struct Queue {
    Send* head = nullptr;
    Send* tail = nullptr;
  };
  FlatMap<Stream, Queue, StreamHash> streams_;
};

}  // namespace

void for_each_pair(const Trace& trace,
                   const std::function<void(std::size_t, const MessagePair&)>& visit) {
  std::vector<SendsByDestination> sends = all_sends(trace);
  parallel_for(static_cast<std::size_t>(trace.ranks()), [&](std::size_t rank) {
    SendQueues queues;
    for (SendsByDestination& share : sends) queues.add(share[rank]);
    const ReceiveList list(trace.calls(static_cast<std::int32_t>(rank)));
    for (const Receive& receive : list.receives()) {
      const Send* const send = queues.take(receive.stream);
      if (send == nullptr) continue;
      visit(rank, {.bytes = send->bytes,
                   .source = send->stream.source,
                   .tag = send->stream.tag,
                   .comm = send->stream.comm,
                   .send = send->call,
                   .post = receive.post,
                   .done = receive.done});
    }
    for (SendsByDestination& share : sends) share[rank] = {};
  });
}

std::vector<std::vector<MessagePair>> pair_messages(const Trace& trace) {
  std::vector<std::vector<MessagePair>> pairs(static_cast<std::size_t>(trace.ranks()));
  for_each_pair(trace, [&](std::size_t to, const MessagePair& pair) { pairs[to].push_back(pair); });
  return pairs;
}

}  // namespace slackline
