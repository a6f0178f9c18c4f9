// Which call belongs to which?
//
// The problem: diagnosis of a measured run speaks of calls (this receive waited for that send), not
// of the messages into which a model expands them. The idea: MPI's messages between two ranks on
// one communicator and tag do not overtake, and a Trace says of every receive which source and tag
// it really got; so the k-th send of such a stream belongs to the k-th receive, in the order of
// posting, and no execution is needed to find out (trace/stream_matching.h). Then each rank is
// walked once more: it fills in its own side of each message, and follows requests to the calls
// that complete them. The k-th collective call on a communicator is one collective on all its
// members (collective_calls.h).
//
// A rank writes of a message its own side only; so the ranks are walked in threads. Cost: linear;
// one look-up in a hash table of streams per side of a message and one of open requests.

#include "calls/call_matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/flat_map.h"
#include "base/parallel.h"
#include "base/units.h"
#include "calls/call_actions.h"
#include "calls/collective_calls.h"
#include "calls/findings.h"
#include "trace/stream_matching.h"

namespace slackline {
namespace {

constexpr FindingKind kNoCalls{
    "ranks_without_calls", Severity::data_loss,
    "Ranks without calls in the trace; results cover the remaining ranks only."};

using Kind = CallMatching::Completion::Kind;

constexpr std::uint32_t kIdBits = CallMatching::kIdBits;
constexpr std::uint32_t kMostMessages = std::uint32_t{1} << kIdBits;
constexpr std::uint32_t kUnmatched = ~std::uint32_t{0};

struct SerialHash {
  /// Requests that are open together have numbers close to each other, which this keeps apart.
  std::uint64_t operator()(std::uint32_t serial) const {
    return serial * 0x9e3779b97f4a7c15ull >> 32;
  }
};

/// Adds one rank's sends and receives to the streams, in the order of posting.
class RankStreams {
 public:
  RankStreams(const Trace& trace, std::size_t rank, StreamMatching& streams)
      : ranks_(trace.ranks()), rank_(rank), streams_(streams) {}
  std::uint32_t sends() const { return sends_; }
  std::uint32_t receives() const { return receives_; }

  /// Whether there is that peer.
  bool add_send(const PostedMessage& m) {
    if (!exists(m)) return false;
    streams_.add_send(rank_, stream_of(m), sends_++);
    return true;
  }
  bool add_receive(const PostedMessage& m) {
    if (!exists(m)) return false;
    streams_.add_receive(rank_, stream_of(m), receives_++);
    return true;
  }

 private:
  bool exists(const PostedMessage& m) const { return m.peer >= 0 && m.peer < ranks_; }
  static MessageStream stream_of(const PostedMessage& m) {
    return {static_cast<std::uint32_t>(m.peer), static_cast<std::uint32_t>(m.tag), m.comm};
  }

  const std::int32_t ranks_;
  const std::size_t rank_;
  StreamMatching& streams_;
  std::uint32_t sends_ = 0;
  std::uint32_t receives_ = 0;
};

/// The messages that one rank posts, and those that its probes find.
class RankPosts : public IgnoreActions {
 public:
  explicit RankPosts(const RankStreams& streams) : streams_(streams) {}

  void run(const RankCalls& calls) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const OperationClass kind = operation_class(calls.operation(i));
      if (may_post(kind) || kind == OperationClass::probe) visit_actions(calls.action(i), *this);
    }
    received_.assign(streams_.receives(), kUnmatched);
  }
  std::uint32_t sends() const { return streams_.sends(); }
  /// By receive: kUnmatched.
  std::vector<std::uint32_t> take_received() { return std::move(received_); }
  /// By successful probe: the number of the receive that gets its message; kUnmatched without one.
  std::vector<std::uint32_t> take_probed() { return std::move(probed_); }

  void send(const PostedMessage& m) { streams_.add_send(m); }
  void receive(const PostedMessage& m) {
    const std::uint32_t number = streams_.receives();
    if (!streams_.add_receive(m) || open_.empty()) return;
    std::erase_if(open_, [&](const Probe& probe) {
      if (probe.peer != m.peer || probe.tag != m.tag || probe.comm != m.comm) return false;
      probed_[probe.number] = number;
      return true;
    });
  }
  /// What is found is what the next receive of that stream gets.
  void probe(const Call& call) {
    if (open_.size() == kMostOpen) open_.erase(open_.begin());
    open_.push_back({call.peer, call.tag, call.comm, static_cast<std::uint32_t>(probed_.size())});
    probed_.push_back(kUnmatched);
  }

 private:
  static constexpr std::size_t kMostOpen = 1024;  // probed, and not yet received
  struct Probe {
    std::int32_t peer;
    std::int32_t tag;
    std::uint32_t comm;
    std::uint32_t number;
  };

  RankStreams streams_;
  std::vector<Probe> open_;
  std::vector<std::uint32_t> received_;
  std::vector<std::uint32_t> probed_;
};

/// As above, with the calls that post the messages and complete the receives.
class RankReceipts : public IgnoreActions {
 public:
  struct Receive {
    CallIndex post;
    CallIndex done;
  };

  explicit RankReceipts(const RankStreams& streams) : streams_(streams) {}

  void run(const RankCalls& calls) {
    for (call_ = 0; call_ < calls.size(); ++call_) {
      const OperationClass kind = operation_class(calls.operation(call_));
      if (may_post(kind) || kind == OperationClass::completion ||
          kind == OperationClass::request_other) {
        visit_actions(calls.action(call_), *this);
      }
    }
  }
  std::uint32_t sends() const { return streams_.sends(); }
  CallIndex send_call(std::uint32_t send) const { return sends_[send]; }
  const Receive& received(std::uint32_t receive) const { return receives_[receive]; }

  void send(const PostedMessage& m) {
    if (streams_.add_send(m)) sends_.push_back(call_);
  }
  void receive(const PostedMessage& m) {
    if (!streams_.add_receive(m)) return;
    const bool at_once = m.request == kRequestNone;
    if (!at_once) open_[m.request] = static_cast<std::uint32_t>(receives_.size());
    receives_.push_back({call_, at_once ? call_ : kNoCall});
  }
  void complete(const Call& call) {
    for_each_completed_request(call, [this](std::uint32_t serial) {
      if (const auto receive = open_.take(serial)) receives_[*receive].done = call_;
    });
  }
  void free_request(std::uint32_t serial) { open_.erase(serial); }

 private:
  RankStreams streams_;
  CallIndex call_ = 0;  // that is being visited
  std::vector<CallIndex> sends_;
  std::vector<Receive> receives_;
  FlatMap<std::uint32_t, std::uint32_t, SerialHash> open_;
};

/// Lets every rank post its messages, and numbers those of all: by sender, from the number of each
/// rank's `first` one on.
template <class Posts>
std::vector<Posts> post_messages(const Trace& trace, StreamMatching& streams,
                                 std::vector<std::uint32_t>& first,
                                 std::vector<MessageCalls>& messages) {
  const auto ranks = static_cast<std::size_t>(trace.ranks());
  std::vector<Posts> posts;
  for (std::size_t r = 0; r < ranks; ++r) posts.emplace_back(RankStreams(trace, r, streams));
  parallel_for(ranks, [&](std::size_t r) {
    posts[r].run(trace.calls(static_cast<std::int32_t>(r)));
    streams.sort(r);
  });
  first.assign(1, 0);
  std::uint64_t all = 0;
  for (const Posts& of_rank : posts) {
    all += of_rank.sends();
    if (all >= kMostMessages) {
      throw Error("cannot match the messages",
                  fmt::format("they are more than {}", format_count(kMostMessages)),
                  "Analyse a part of the run, or in stretches with --memory.");
    }
    first.push_back(static_cast<std::uint32_t>(all));
  }
  messages.resize(all);
  return posts;
}

void match_receipts(const Trace& trace, std::vector<std::uint32_t>& first,
                    std::vector<MessageCalls>& messages) {
  const auto ranks = static_cast<std::size_t>(trace.ranks());
  StreamMatching streams(ranks);
  const auto receipts = post_messages<RankReceipts>(trace, streams, first, messages);
  parallel_for(ranks, [&](std::size_t r) {
    streams.join(r, [&](std::uint32_t source, std::uint32_t send, std::uint32_t receive) {
      MessageCalls& message = messages[first[source] + send];
      message.destination = static_cast<std::int32_t>(r);
      message.receive = receipts[r].received(receive).post;
      message.receive_done = receipts[r].received(receive).done;
    });
    for (std::uint32_t send = 0; send < receipts[r].sends(); ++send) {
      messages[first[r] + send].source = static_cast<std::int32_t>(r);
      messages[first[r] + send].send = receipts[r].send_call(send);
    }
  });
}

/// The completions of one rank, and its side of all it takes part in.
class RankWalk : public IgnoreActions {
 public:
  /// `next_send`: the first of its messages; `received` and `probed`: those that its receives get
  /// and its probes find, in order.
  RankWalk(const Trace& trace, std::int32_t rank, std::uint32_t next_send,
           const std::vector<std::uint32_t>& received, const std::vector<std::uint32_t>& probed,
           std::vector<MessageCalls>& messages, CollectiveCalls& collectives)
      : calls_(trace.calls(rank)),
        ranks_(trace.ranks()),
        rank_(rank),
        received_(received),
        probed_(probed),
        messages_(messages),
        collectives_(collectives),
        next_send_(next_send) {}

  void run(std::vector<std::uint32_t>& first, std::vector<std::uint32_t>& entries) {
    entries_ = &entries;
    first.reserve(calls_.size() + 1);
    for (call_ = 0; call_ < calls_.size(); ++call_) {
      first.push_back(static_cast<std::uint32_t>(entries.size()));
      visit_actions(calls_.action(call_), *this);
    }
    first.push_back(static_cast<std::uint32_t>(entries.size()));
    entries.shrink_to_fit();
    report_open_receives();
  }
  const Findings& findings() const { return findings_; }
  std::vector<std::pair<CallIndex, CallIndex>> take_completed_files() {
    return std::move(completed_files_);
  }

  // What the call that is being visited does.

  void send(const PostedMessage& m) {
    if (!exists(m.peer)) return;
    MessageCalls& message = messages_[next_send_];
    message.source = rank_;
    message.destination = m.peer;
    message.send = call_;
    message.bytes = m.bytes & ((std::uint64_t{1} << 61) - 1);
    message.synchronous = is_synchronous(m.mode) ? 1 : 0;
    message.buffered = is_buffered(m.mode) ? 1 : 0;
    post(Kind::outgoing, next_send_++, m.request);
  }
  void receive(const PostedMessage& m) {
    if (!exists(m.peer)) return;
    const std::uint32_t id = received_[next_receive_++];
    if (id == kUnmatched) {
      const UnmatchedReceive receive{call_, m.peer, m.tag};
      if (m.request == kRequestNone) {
        report(receive, calls_.is_cut(call_));
      } else {
        unmatched_[m.request] = receive;
      }
      return;
    }
    messages_[id].receive = call_;
    post(Kind::incoming, id, m.request);
  }
  void collective(const Call& call) { join(call.request); }
  void probe(const Call& /*call*/) {
    const std::uint32_t id = probed_[next_probe_++];
    if (id != kUnmatched) entries_->push_back(pack(Kind::probed, id));
  }
  void one_sided(const Call& /*call*/) { join_if_collective(); }
  void io() {
    join_if_collective();
    if (calls_.request(call_) != kRequestNone) file_accesses_[calls_.request(call_)] = call_;
  }
  void free_communicator() { join(kRequestNone); }
  void initialize() { join(kRequestNone); }
  void finalize() { join(kRequestNone); }
  void complete(const Call& call) {
    for_each_completed_request(call, [&](std::uint32_t serial) {
      if (const std::optional<Open> open = open_.take(serial)) return done(*open);
      if (const std::optional<CallIndex> started = file_accesses_.take(serial)) {
        return completed_files_.emplace_back(call_, *started), void();
      }
      const std::optional<UnmatchedReceive> receive = unmatched_.take(serial);
      if (receive && !call.has(SLK_FLAG_CANCELLED)) report(*receive, calls_.is_cut(call_));
    });
  }
  void free_request(std::uint32_t serial) { open_.erase(serial); }

 private:
  struct Open {
    std::uint32_t entry = 0;
    std::uint32_t member = 0;  // of a collective
  };

  struct UnmatchedReceive {
    CallIndex call;
    std::int32_t peer;
    std::int32_t tag;
  };

  void report(const UnmatchedReceive& receive, bool open) {
    findings_.add(open ? kOpenReceive : kUnmatchedReceive,
                  fmt::format("rank {} call {}: from {} tag {}", rank_, receive.call, receive.peer,
                              receive.tag));
  }
  void report_open_receives() {
    std::vector<UnmatchedReceive> rest;
    unmatched_.for_each(
        [&](std::uint32_t, const UnmatchedReceive& receive) { rest.push_back(receive); });
    std::ranges::sort(rest, {}, &UnmatchedReceive::call);
    for (const UnmatchedReceive& receive : rest) report(receive, true);
  }

  void join_if_collective() {
    if (joins_collective(calls_.operation(call_))) join(kRequestNone);
  }
  void join(std::uint32_t request) {
    const auto& mine = collectives_.of_rank[static_cast<std::size_t>(rank_)];
    const CollectiveCalls::Part part = mine[next_collective_++];
    if (part.id == CollectiveCalls::kNone) return;
    start({pack(Kind::collective, part.id), part.member}, request);
  }

  std::uint32_t pack(Kind kind, std::uint32_t id) const {
    return static_cast<std::uint32_t>(kind) << kIdBits | id;
  }

  void post(Kind kind, std::uint32_t id, std::uint32_t request) {
    start({pack(kind, id), 0}, request);
  }

  /// Something was started: by a request, or it is done at once.
  void start(const Open& started, std::uint32_t request) {
    if (request == kRequestNone) return done(started);
    open_[request] = started;
  }

  void done(const Open& open) {
    const std::uint32_t id = open.entry & ((1u << kIdBits) - 1);
    switch (static_cast<Kind>(open.entry >> kIdBits)) {
      case Kind::incoming:
        messages_[id].receive_done = call_;
        break;
      case Kind::outgoing:
        messages_[id].send_done = call_;
        break;
      case Kind::collective:
        collectives_.members[open.member].done = call_;
        break;
      case Kind::probed:
        break;
    }
    entries_->push_back(open.entry);
  }

  bool exists(std::int32_t peer) const { return peer >= 0 && peer < ranks_; }

  const RankCalls& calls_;
  const std::int32_t ranks_;
  const std::int32_t rank_;
  const std::vector<std::uint32_t>& received_;
  const std::vector<std::uint32_t>& probed_;
  std::vector<MessageCalls>& messages_;
  CollectiveCalls& collectives_;
  FlatMap<std::uint32_t, Open, SerialHash> open_;
  FlatMap<std::uint32_t, UnmatchedReceive, SerialHash> unmatched_;  // not completed yet
  FlatMap<std::uint32_t, CallIndex, SerialHash> file_accesses_;     // not completed yet
  std::vector<std::pair<CallIndex, CallIndex>> completed_files_;
  std::vector<std::uint32_t>* entries_ = nullptr;
  CallIndex call_ = 0;       // that is being visited
  std::uint32_t next_send_;  // number of the next message that it sends
  std::size_t next_receive_ = 0;
  std::size_t next_probe_ = 0;
  std::size_t next_collective_ = 0;
  Findings findings_;
};

}  // namespace

/// Fills a CallMatching; see above.
class MatchingWalk {
 public:
  MatchingWalk(const Trace& trace, CallMatching& out)
      : trace_(trace), out_(out), ranks_(static_cast<std::size_t>(trace.ranks())) {}

  void run_receipts() {
    match_receipts(trace_, out_.first_message_, out_.messages_);
    out_.completions_.resize(ranks_);
  }

  void run() {
    match_messages();
    CollectiveCalls collectives = assemble_collectives(trace_);
    out_.completions_.resize(ranks_);
    std::vector<Findings> findings(ranks_);
    parallel_for(ranks_, [&](std::size_t r) {
      RankWalk walk(trace_, static_cast<std::int32_t>(r), out_.first_message_[r], received_[r],
                    probed_[r], out_.messages_, collectives);
      CallMatching::RankCompletions& mine = out_.completions_[r];
      walk.run(mine.first, mine.entries);
      mine.files = walk.take_completed_files();
      findings[r] = walk.findings();
    });
    for (const Findings& of : findings) out_.findings_.merge(of);
    out_.collectives_ = std::move(collectives.instances);
    out_.members_ = std::move(collectives.members);
    for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
      if (trace_.calls(r).empty()) out_.findings_.add(kNoCalls, fmt::format("rank {}", r));
    }
    out_.findings_.merge(collectives.environment_findings);
    out_.findings_.merge(collectives.findings);
    report_unmatched_sends();
  }

 private:
  /// Numbers all messages, and finds those that each rank receives and probes.
  void match_messages() {
    StreamMatching streams(ranks_);
    for (RankPosts& of_rank :
         post_messages<RankPosts>(trace_, streams, out_.first_message_, out_.messages_)) {
      received_.push_back(of_rank.take_received());
      probed_.push_back(of_rank.take_probed());
    }
    parallel_for(ranks_, [&](std::size_t r) {
      streams.join(r, [&](std::uint32_t source, std::uint32_t send, std::uint32_t receive) {
        received_[r][receive] = out_.first_message_[source] + send;
      });
      for (std::uint32_t& found : probed_[r]) {
        if (found != kUnmatched) found = received_[r][found];
      }
    });
  }

  void report_unmatched_sends() {
    for (const MessageCalls& m : out_.messages_) {
      if (m.matched()) continue;
      out_.findings_.add(
          unmatched_send(trace_, m.destination),
          fmt::format("rank {} call {} to rank {}", m.source, m.send, m.destination));
    }
  }

  const Trace& trace_;
  CallMatching& out_;
  const std::size_t ranks_;
  // By rank, in program order: the messages that it receives, and those that it probes for.
  std::vector<std::vector<std::uint32_t>> received_;
  std::vector<std::vector<std::uint32_t>> probed_;
};

CallMatching::CallMatching(const Trace& trace, Extent extent) {
  MatchingWalk walk(trace, *this);
  if (extent == Extent::all) {
    walk.run();
  } else {
    walk.run_receipts();
  }
}

std::uint64_t CallMatching::matched_count() const {
  return static_cast<std::uint64_t>(std::ranges::count_if(messages_, &MessageCalls::matched));
}

CallIndex CallMatching::completed_file_access(std::int32_t rank, CallIndex call) const {
  const auto& files = completions_[static_cast<std::size_t>(rank)].files;
  if (files.empty() || completes_something(rank, call)) return kNoCall;
  const auto found =
      std::ranges::lower_bound(files, call, {}, [](const auto& f) { return f.first; });
  return found != files.end() && found->first == call ? found->second : kNoCall;
}

const CollectiveMember* CallMatching::member(const CollectiveInstance& c, std::int32_t rank) const {
  const auto all = members(c);
  const auto found = std::ranges::lower_bound(all, rank, {}, &CollectiveMember::rank);
  return found == all.end() || found->rank != rank ? nullptr : &*found;
}

bool sender_waited(const Trace& trace, const MessageCalls& m) {
  if (!m.matched() || m.send_done == kNoCall || m.buffered != 0) return false;
  const RankCalls& sender = trace.calls(m.source);
  const std::int64_t posted = trace.calls(m.destination).begin_ns(m.receive);
  return posted > sender.begin_ns(m.send_done) && posted <= sender.end_ns(m.send_done);
}

PostedMessage sent_message(const Trace& trace, const CallMatching& matching, std::uint32_t id) {
  const MessageCalls& message = matching.message(id);
  std::uint32_t before = 0;  // messages that the call sends before this one
  while (id > before && matching.message(id - before - 1).source == message.source &&
         matching.message(id - before - 1).send == message.send) {
    ++before;
  }
  PostedMessage found{};
  for_each_send(trace.calls(message.source).action(message.send), [&](const PostedMessage& p) {
    if (p.peer < 0 || p.peer >= trace.ranks()) return;
    if (before-- == 0) found = p;
  });
  return found;
}

}  // namespace slackline
