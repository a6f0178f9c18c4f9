// Which receive got which send?
//
// Sends are first sorted into their destination's list (keeping each rank's order), then every
// destination hands out the sends of its streams to its receives. A nonblocking receive ends with
// the call that completed its request. Cost: linear; per message one entry of a hash table that is
// as large as one rank's number of streams.

#include "calls/message_pairs.h"

#include <algorithm>

#include "base/flat_map.h"
#include "base/parallel.h"
#include "calls/posted_messages.h"

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

// Sends of some sources, those after one another, by destination; in the order of each source's
// program.
using SendsByDestination = std::vector<std::vector<Send>>;

SendsByDestination sends_of(const Trace& trace, std::int32_t first, std::int32_t last) {
  SendsByDestination sends(static_cast<std::size_t>(trace.ranks()));
  for (std::int32_t rank = first; rank < last; ++rank) {
    const RankCalls& calls = trace.calls(rank);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (!may_send(operation_class(calls.operation(i)))) continue;
      for_each_send(calls[i], [&](const Posted& p) {
        if (p.peer < 0 || p.peer >= trace.ranks()) return;
        sends[static_cast<std::size_t>(p.peer)].push_back(
            {{rank, p.tag, p.comm}, static_cast<std::uint32_t>(i), p.bytes});
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
      const OperationClass kind = operation_class(calls.operation(i));
      at_ = static_cast<std::uint32_t>(i);
      if (may_receive(kind)) post(calls[i], kind);
      if (kind == OperationClass::completion) complete(calls, i);
    }
  }
  const std::vector<Receive>& receives() const { return receives_; }

 private:
  void post(const Call& call, OperationClass kind) {
    const bool blocks = kind == OperationClass::recv || kind == OperationClass::sendrecv;
    for_each_receive(call, [&](const Posted& p) {
      if (!blocks) pending_[p.request] = receives_.size();
      receives_.push_back(
          {{p.peer, p.tag, p.comm}, at_, blocks ? at_ : MessagePair::kNeverCompleted});
    });
  }

  void complete(const RankCalls& calls, std::size_t i) {
    if (calls.has(i, SLK_FLAG_FAILED)) return;
    complete(calls.request(i));
    for (const std::int64_t serial : calls.args(i)) complete(static_cast<std::uint32_t>(serial));
  }

  void complete(std::uint32_t request) {
    if (const auto receive = pending_.take(request)) receives_[*receive].done = at_;
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
