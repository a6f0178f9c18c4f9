// Which call belongs to which?
//
// The problem: diagnosis of a measured run speaks of calls (this receive waited for that send), not
// of the messages into which a model expands them. The idea: MPI's messages between two ranks on
// one communicator and tag do not overtake, and a Trace says of every receive which source and tag
// it really got; so the k-th send of such a stream belongs to the k-th receive, in the order of
// posting, and no execution is needed to find out. First the sends of each stream are queued
// (message_streams.h), then each rank hands them out to its receives and follows requests to the
// calls that complete them. The k-th collective call on a communicator is one collective on all its
// members (collective_calls.h).
//
// A rank takes from streams that lead to it and from no others, and writes of a message its own
// side only; so the ranks are walked in threads. Cost: linear; two look-ups in a hash table of
// streams per message and one of open requests.

#include "calls/call_matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/flat_map.h"
#include "base/parallel.h"
#include "calls/collective_calls.h"
#include "calls/findings.h"
#include "calls/message_streams.h"
#include "calls/posted_messages.h"

namespace slackline {
namespace {

constexpr FindingKind kNoCalls{
    "ranks_without_calls", Severity::data_loss,
    "Ranks of which the trace has no calls; what is said is of the others."};

using Kind = CallMatching::Completion::Kind;

struct SerialHash {
  /// Requests that are open together have numbers close to each other, which this keeps apart.
  std::uint64_t operator()(std::uint32_t serial) const {
    return serial * 0x9e3779b97f4a7c15ull >> 32;
  }
};

/// The completions of one rank, and its side of all it takes part in.
class RankWalk {
 public:
  RankWalk(const Trace& trace, std::int32_t rank, MessageStreams& streams,
           CollectiveCalls& collectives)
      : calls_(trace.calls(rank)),
        ranks_(trace.ranks()),
        rank_(rank),
        streams_(streams),
        collectives_(collectives),
        next_send_(streams.first_of(rank)) {}

  void run(std::vector<std::uint32_t>& first, std::vector<std::uint32_t>& entries,
           std::uint32_t id_bits) {
    id_bits_ = id_bits;
    entries_ = &entries;
    first.reserve(calls_.size() + 1);
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      first.push_back(static_cast<std::uint32_t>(entries.size()));
      visit(static_cast<CallIndex>(i));
    }
    first.push_back(static_cast<std::uint32_t>(entries.size()));
    entries.shrink_to_fit();
  }
  const Findings& findings() const { return findings_; }

 private:
  bool exists(std::int32_t peer) const { return peer >= 0 && peer < ranks_; }

  void visit(CallIndex i) {
    const Operation operation = calls_.operation(i);
    switch (operation_class(operation)) {
      case OperationClass::collective:
      case OperationClass::icollective:
      case OperationClass::comm_create:
      case OperationClass::environment:
        if (joins_collective(operation)) collective(i);
        return;
      case OperationClass::send:
      case OperationClass::isend:
        return sends(i);
      case OperationClass::recv:
      case OperationClass::irecv:
      case OperationClass::sendrecv:
      case OperationClass::start:
        for_each_receive(calls_[i], [&](const Posted& p) { receive(i, p); });
        return sends(i);
      case OperationClass::completion:
        return completion(i);
      case OperationClass::request_other:
        if (operation == Operation::request_free) open_.erase(calls_.request(i));
        return;
      default:
        return;
    }
  }

  /// What the call sends has been found already.
  void sends(CallIndex i) {
    streams_.for_each_sent(
        calls_[i], [&](const Posted& p) { post(i, Kind::outgoing, next_send_++, p.request); });
  }

  void receive(CallIndex i, const Posted& p) {
    if (!exists(p.peer)) return;
    const std::uint32_t id = streams_.take(p.peer, rank_, p.tag, p.comm);
    if (id == MessageStreams::kNone) {
      findings_.add(kUnmatchedReceive,
                    fmt::format("rank {} call {}: from {} tag {}", rank_, i, p.peer, p.tag));
      return;
    }
    streams_.messages()[id].receive = i;
    post(i, Kind::incoming, id, p.request);
  }

  void collective(CallIndex i) {
    const auto& mine = collectives_.of_rank[static_cast<std::size_t>(rank_)];
    const CollectiveCalls::Part part = mine[next_collective_++];
    if (part.id == CollectiveCalls::kNone) return;
    const bool environment = operation_class(calls_.operation(i)) == OperationClass::environment;
    const std::uint32_t request = environment ? kRequestNone : calls_.request(i);
    if (request == kRequestNone) {
      collectives_.members[part.member].done = i;
      entries_->push_back(pack(Kind::collective, part.id));
      return;
    }
    open_[request] = {pack(Kind::collective, part.id), part.member};
  }

  void completion(CallIndex i) {
    if (calls_.has(i, SLK_FLAG_FAILED)) return;
    const std::uint32_t single = calls_.request(i);
    if (single != kRequestNone) complete(i, single);
    for (const std::int64_t serial : calls_.args(i))
      complete(i, static_cast<std::uint32_t>(serial));
  }

  std::uint32_t pack(Kind kind, std::uint32_t id) const {
    return static_cast<std::uint32_t>(kind) << id_bits_ | id;
  }

  /// Something was started by call `i`: a request, or done at once.
  void post(CallIndex i, Kind kind, std::uint32_t id, std::uint32_t request) {
    const Open started{pack(kind, id), 0};
    if (request == kRequestNone) return done(i, started);
    open_[request] = started;
  }

  void complete(CallIndex i, std::uint32_t request) {
    if (const std::optional<Open> open = open_.take(request)) done(i, *open);
  }

  struct Open {
    std::uint32_t entry = 0;
    std::uint32_t member = 0;  // of a collective
  };
  void done(CallIndex i, const Open& open) {
    const std::uint32_t id = open.entry & ((1u << id_bits_) - 1);
    switch (static_cast<Kind>(open.entry >> id_bits_)) {
      case Kind::incoming:
        streams_.messages()[id].receive_done = i;
        break;
      case Kind::outgoing:
        streams_.messages()[id].send_done = i;
        break;
      case Kind::collective:
        collectives_.members[open.member].done = i;
        break;
    }
    entries_->push_back(open.entry);
  }

  const RankCalls& calls_;
  const std::int32_t ranks_;
  const std::int32_t rank_;
  MessageStreams& streams_;
  CollectiveCalls& collectives_;
  FlatMap<std::uint32_t, Open, SerialHash> open_;
  std::vector<std::uint32_t>* entries_ = nullptr;
  std::uint32_t id_bits_ = 0;
  std::uint32_t next_send_;  // number of the next message that it sends
  std::size_t next_collective_ = 0;
  Findings findings_;
};

bool sender_waited(const Trace& trace, const MessageCalls& m) {
  if (!m.matched() || m.send_done == kNoCall || m.buffered != 0) return false;
  const RankCalls& sender = trace.calls(m.source);
  const std::int64_t posted = trace.calls(m.destination).begin_ns(m.receive);
  return posted > sender.begin_ns(m.send_done) && posted <= sender.end_ns(m.send_done);
}

}  // namespace

/// Fills a CallMatching; see above.
class MatchingWalk {
 public:
  MatchingWalk(const Trace& trace, CallMatching& out) : trace_(trace), out_(out) {}

  void run() {
    MessageStreams streams(trace_);
    CollectiveCalls collectives = assemble_collectives(trace_);
    const auto ranks = static_cast<std::size_t>(trace_.ranks());
    out_.completions_.resize(ranks);
    std::vector<Findings> findings(ranks);
    parallel_for(ranks, [&](std::size_t r) {
      RankWalk walk(trace_, static_cast<std::int32_t>(r), streams, collectives);
      CallMatching::RankCompletions& mine = out_.completions_[r];
      walk.run(mine.first, mine.entries, CallMatching::kIdBits);
      findings[r] = walk.findings();
    });
    for (const Findings& of : findings) out_.findings_.merge(of);
    out_.messages_ = std::move(streams.messages());
    out_.collectives_ = std::move(collectives.instances);
    out_.members_ = std::move(collectives.members);
    for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
      if (trace_.calls(r).empty()) out_.findings_.add(kNoCalls, fmt::format("rank {}", r));
    }
    out_.findings_.merge(collectives.findings);
    look_at_senders();
  }

 private:
  void look_at_senders() {
    constexpr std::size_t kAtOnce = std::size_t{1} << 16;  // messages of one task
    const std::size_t tasks = (out_.messages_.size() + kAtOnce - 1) / kAtOnce;
    std::vector<std::vector<std::uint32_t>> unmatched(tasks);
    parallel_for(tasks, [&](std::size_t task) {
      const std::size_t end = std::min(out_.messages_.size(), (task + 1) * kAtOnce);
      for (std::size_t id = task * kAtOnce; id < end; ++id) {
        MessageCalls& m = out_.messages_[id];
        m.sender_waited = sender_waited(trace_, m) ? 1 : 0;
        if (!m.matched()) unmatched[task].push_back(static_cast<std::uint32_t>(id));
      }
    });
    for (const auto& ids : unmatched) {
      for (const std::uint32_t id : ids) {
        const MessageCalls& m = out_.messages_[id];
        out_.findings_.add(kUnmatchedSend, fmt::format("rank {} call {} to rank {}", m.source,
                                                       m.send, m.destination));
      }
    }
  }

  const Trace& trace_;
  CallMatching& out_;
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
