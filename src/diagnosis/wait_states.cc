// Where ranks wait, and for whom.
//
// The problem: time in MPI calls is transfer or waiting, and only the partner's calls tell which.
// The idea: Scalasca's patterns compare when the two sides (or all members) of a communication
// enter their calls. Matched calls (call_matching.h) give the partners; calls are visited in causal
// order (causal_order.h), so that the states come out with causes before effects, which is what the
// delay costs need. A waiting time never exceeds its call: clocks that disagree cannot
// invent waiting. Cost: linear in calls and in the members of collectives.

#include "diagnosis/wait_states.h"

#include <algorithm>
#include <limits>

#include "diagnosis/replay.h"

namespace slackline {
namespace {

using Kind = CallMatching::Completion::Kind;

constexpr std::size_t kRemembered = 10;  // late senders per rank that wrong order is looked for in

/// A test that succeeds does not wait.
bool can_wait(Operation op) {
  switch (operation_class(op)) {
    case OperationClass::recv:
    case OperationClass::send:
    case OperationClass::sendrecv:
      return true;
    case OperationClass::completion:
      return op == Operation::wait || op == Operation::waitall || op == Operation::waitany ||
             op == Operation::waitsome;
    default:
      return false;
  }
}

struct Entries {
  std::int64_t first_exit = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_enter = std::numeric_limits<std::int64_t>::min();
  std::int32_t last_rank = -1;
  CallIndex last_call = kNoCall;
  std::int64_t last_sender = std::numeric_limits<std::int64_t>::min();
  bool known = false;
};

class WaitRules {
 public:
  WaitRules(const Trace& trace, const CallMatching& matching, const WaitOptions& options,
            WaitStates& out)
      : trace_(trace),
        matching_(matching),
        options_(options),
        out_(out),
        entries_(matching.collectives().size()),
        late_senders_(static_cast<std::size_t>(trace.ranks())) {}

  CollectiveRule rule(const CollectiveInstance& c) const {
    return c.operation == Operation::finalize || c.operation == Operation::init
               ? CollectiveRule::all_wait
               : rule_by_data(c.operation);
  }

  void step(std::int32_t rank, CallIndex call) {
    if (!matching_.completes_something(rank, call)) return;
    const std::size_t before = out_.states.size();
    late_sender_ = {};
    late_receiver_ = {};
    matching_.for_completions(rank, call, [&](const CallMatching::Completion& c) {
      switch (c.kind) {
        case Kind::incoming:
          return incoming(rank, call, c.id);
        case Kind::outgoing:
          return outgoing(rank, call, c.id);
        case Kind::collective:
          return collective(rank, call, c.id);
      }
    });
    if (late_sender_.wait_ns > 0) {
      out_.states.push_back(late_sender_);
      remember_late_sender(rank);
    }
    // What a call waits for is charged once; a late sender comes first, as in Scalasca.
    if (late_receiver_.wait_ns > 0 && late_sender_.wait_ns == 0)
      out_.states.push_back(late_receiver_);
    mark_effective(before);
  }

 private:
  std::int64_t begin(std::int32_t rank, CallIndex call) const {
    return trace_.calls(rank).begin_ns(call);
  }
  std::int64_t end(std::int32_t rank, CallIndex call) const {
    return trace_.calls(rank).end_ns(call);
  }

  void incoming(std::int32_t rank, CallIndex call, std::uint32_t id) {
    const MessageCalls& m = matching_.message(id);
    const std::int64_t sent = begin(m.source, m.send);
    const std::int64_t exit = end(rank, call);
    note_order(rank, id);
    if (sent > exit) {
      ++out_.clipped;
      out_.clipped_ns += sent - exit;
    }
    if (!can_wait(trace_.calls(rank).operation(call))) return;
    const std::int64_t wait = std::min(sent, exit) - begin(rank, call);
    if (wait <= late_sender_.wait_ns) return;
    late_sender_ = {.wait_ns = wait,
                    .rank = rank,
                    .call = call,
                    .cause_rank = m.source,
                    .cause_call = m.send,
                    .pattern = WaitPattern::late_sender};
    late_message_ = id;
  }

  /// 0 when the sender did not wait.
  std::int64_t late_receiver_ns(const MessageCalls& m) const {
    if (!m.matched() || m.send_done == kNoCall || m.buffered != 0) return 0;
    if (options_.eager_bytes && m.bytes <= *options_.eager_bytes && m.synchronous == 0) return 0;
    if (!can_wait(trace_.calls(m.source).operation(m.send_done))) return 0;
    const std::int64_t posted = begin(m.destination, m.receive);
    if (end(m.source, m.send_done) < posted) return 0;
    return std::max<std::int64_t>(0, posted - begin(m.source, m.send_done));
  }

  void outgoing(std::int32_t rank, CallIndex call, std::uint32_t id) {
    const MessageCalls& m = matching_.message(id);
    const std::int64_t wait = late_receiver_ns(m);
    if (wait <= late_receiver_.wait_ns) return;
    late_receiver_ = {.wait_ns = wait,
                      .rank = rank,
                      .call = call,
                      .cause_rank = m.destination,
                      .cause_call = m.receive,
                      .pattern = WaitPattern::late_receiver};
  }

  const Entries& entries(std::uint32_t id) {
    Entries& e = entries_[id];
    if (e.known) return e;
    e.known = true;
    const CollectiveInstance& c = matching_.collective(id);
    const bool all = c.operation == Operation::barrier || c.operation == Operation::init ||
                     c.operation == Operation::finalize;
    for (const CollectiveMember& m : matching_.members(c)) {
      if (!all && !m.moves) continue;
      const std::int64_t enter = begin(m.rank, m.enter);
      if (enter > e.last_enter) {
        e.last_enter = enter;
        e.last_rank = m.rank;
        e.last_call = m.enter;
      }
      if (m.done != kNoCall) e.first_exit = std::min(e.first_exit, end(m.rank, m.done));
      if (m.rank != c.root) e.last_sender = std::max(e.last_sender, enter);
    }
    return e;
  }

  void add(WaitPattern pattern, std::int32_t rank, CallIndex call, std::int64_t wait,
           std::int32_t cause_rank = -1, CallIndex cause_call = kNoCall) {
    const std::int64_t clipped = std::min(wait, end(rank, call) - begin(rank, call));
    if (clipped <= 0) return;
    out_.states.push_back({.wait_ns = clipped,
                           .rank = rank,
                           .call = call,
                           .cause_rank = cause_rank,
                           .cause_call = cause_call,
                           .pattern = pattern});
  }

  void collective(std::int32_t rank, CallIndex call, std::uint32_t id) {
    const CollectiveInstance& c = matching_.collective(id);
    const CollectiveMember* me = matching_.member(c, rank);
    if (me == nullptr) return;
    if (me->enter != call) return nonblocking(c, *me, call, id);
    switch (c.operation) {
      case Operation::barrier:
        return all_wait(id, *me, WaitPattern::barrier, WaitPattern::barrier_completion);
      case Operation::init: {
        const Entries& e = entries(id);
        return add(WaitPattern::init_completion, rank, call,
                   end(rank, call) - std::max(e.first_exit, e.last_enter));
      }
      case Operation::finalize: {
        const Entries& e = entries(id);
        return add(WaitPattern::finalize, rank, call, e.last_enter - begin(rank, call), e.last_rank,
                   e.last_call);
      }
      case Operation::reduce:
      case Operation::gather:
      case Operation::gatherv:
        return early_reduce(c, *me, id);
      case Operation::bcast:
      case Operation::scatter:
      case Operation::scatterv:
        return late_broadcast(c, *me);
      case Operation::scan:
      case Operation::exscan:
        return early_scan(c, *me);
      default:
        break;
    }
    if (operation_class(c.operation) != OperationClass::collective || !me->moves) return;
    if (rule_by_data(c.operation) != CollectiveRule::all_wait) return;
    all_wait(id, *me, WaitPattern::nxn, WaitPattern::nxn_completion);
  }

  void all_wait(std::uint32_t id, const CollectiveMember& me, WaitPattern wait,
                WaitPattern completion) {
    const Entries& e = entries(id);
    if (e.last_rank < 0) return;
    add(wait, me.rank, me.enter, e.last_enter - begin(me.rank, me.enter), e.last_rank, e.last_call);
    add(completion, me.rank, me.enter,
        end(me.rank, me.enter) - std::max(e.first_exit, e.last_enter));
  }

  void early_reduce(const CollectiveInstance& c, const CollectiveMember& me, std::uint32_t id) {
    if (me.rank != c.root) return;
    const Entries& e = entries(id);
    if (e.last_sender == std::numeric_limits<std::int64_t>::min()) return;
    add(WaitPattern::early_reduce, me.rank, me.enter, e.last_sender - begin(me.rank, me.enter),
        e.last_rank, e.last_call);
  }

  void late_broadcast(const CollectiveInstance& c, const CollectiveMember& me) {
    const CollectiveMember* root = matching_.member(c, c.root);
    if (root == nullptr || me.rank == c.root || !(me.moves || root->moves)) return;
    add(WaitPattern::late_broadcast, me.rank, me.enter,
        begin(root->rank, root->enter) - begin(me.rank, me.enter), root->rank, root->enter);
  }

  void early_scan(const CollectiveInstance& c, const CollectiveMember& me) {
    latest_needed(c, me, WaitPattern::early_scan, me.enter);
  }

  void nonblocking(const CollectiveInstance& c, const CollectiveMember& me, CallIndex call,
                   std::uint32_t id) {
    if (!can_wait(trace_.calls(me.rank).operation(call))) return;
    if (rule_by_data(c.operation) == CollectiveRule::all_wait &&
        c.operation != Operation::barrier &&
        operation_class(c.operation) == OperationClass::collective) {
      const Entries& e = entries(id);
      if (e.last_rank < 0) return;  // nobody moves anything
      return add(WaitPattern::nonblocking, me.rank, call, e.last_enter - begin(me.rank, call),
                 e.last_rank, e.last_call);
    }
    latest_needed(c, me, WaitPattern::nonblocking, call);
  }

  /// Waiting in `call` for the last of those that the collective's data needs.
  void latest_needed(const CollectiveInstance& c, const CollectiveMember& me, WaitPattern pattern,
                     CallIndex call) {
    const CollectiveRule how = rule(c);
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    std::int32_t last_rank = -1;
    CallIndex last_call = kNoCall;
    if (how == CollectiveRule::wait_for_root) {
      if (const CollectiveMember* root = matching_.member(c, c.root); root != nullptr) {
        last = begin(root->rank, root->enter);
        last_rank = root->rank;
        last_call = root->enter;
      }
    } else {
      for (const CollectiveMember& m : matching_.members(c)) {
        if (!waits_for(trace_, c, how, me, m) || begin(m.rank, m.enter) <= last) continue;
        last = begin(m.rank, m.enter);
        last_rank = m.rank;
        last_call = m.enter;
      }
    }
    if (last_rank < 0 || last_rank == me.rank) return;
    add(pattern, me.rank, call, last - begin(me.rank, call), last_rank, last_call);
  }

  void remember_late_sender(std::int32_t rank) {
    auto& remembered = late_senders_[static_cast<std::size_t>(rank)];
    remembered.push_back({out_.states.size() - 1, late_message_});
    if (remembered.size() > kRemembered) remembered.erase(remembered.begin());
  }

  /// A message that is taken now and was sent before that of a late sender that this rank waited
  /// for earlier: had they been taken in the order of sending, that wait would have been shorter.
  void note_order(std::int32_t rank, std::uint32_t id) {
    const MessageCalls& m = matching_.message(id);
    const std::int64_t sent = begin(m.source, m.send);
    for (const LateSender& late : late_senders_[static_cast<std::size_t>(rank)]) {
      WaitState& s = out_.states[late.state];
      if (s.order != MessageOrder::right) continue;
      const MessageCalls& waited = matching_.message(late.message);
      if (sent >= begin(waited.source, waited.send)) continue;
      s.order = waited.source == m.source ? MessageOrder::wrong_same_source
                                          : MessageOrder::wrong_different_source;
    }
  }

  void mark_effective(std::size_t from) {
    WaitState* longest = nullptr;
    for (std::size_t i = from; i < out_.states.size(); ++i) {
      WaitState& s = out_.states[i];
      if (s.cause_rank < 0 || s.cause_rank == s.rank) continue;
      if (longest == nullptr || s.wait_ns > longest->wait_ns) longest = &s;
    }
    if (longest != nullptr) longest->effective = true;
  }

  struct LateSender {
    std::size_t state;
    std::uint32_t message;
  };

  const Trace& trace_;
  const CallMatching& matching_;
  const WaitOptions& options_;
  WaitStates& out_;
  std::vector<Entries> entries_;
  std::vector<std::vector<LateSender>> late_senders_;
  WaitState late_sender_;
  WaitState late_receiver_;
  std::uint32_t late_message_ = 0;
};

}  // namespace

std::string_view identifier(WaitPattern pattern) {
  constexpr std::array<std::string_view, kWaitPatterns> kNames{
      "late_sender", "late_receiver",          "wait_at_barrier", "barrier_completion",
      "wait_at_nxn", "nxn_completion",         "early_reduce",    "late_broadcast",
      "early_scan",  "nonblocking_collective", "init_completion", "wait_at_finalize"};
  return kNames[static_cast<std::size_t>(pattern)];
}

std::string_view name(WaitPattern pattern) {
  constexpr std::array<std::string_view, kWaitPatterns> kNames{
      "late sender", "late receiver",          "wait at barrier", "barrier completion",
      "wait at NxN", "NxN completion",         "early reduce",    "late broadcast",
      "early scan",  "nonblocking collective", "init completion", "wait at finalize"};
  return kNames[static_cast<std::size_t>(pattern)];
}

WaitStates wait_states(const Trace& trace, const CallMatching& matching,
                       const WaitOptions& options) {
  return wait_states(trace, matching, CausalOrder(trace, matching), options);
}

WaitStates wait_states(const Trace& trace, const CallMatching& matching, const CausalOrder& order,
                       const WaitOptions& options) {
  WaitStates out;
  WaitRules rules(trace, matching, options, out);
  order.forward([&rules](std::int32_t rank, CallIndex call) { rules.step(rank, call); });
  out.released = order.released();
  return out;
}

}  // namespace slackline
