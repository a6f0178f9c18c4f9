// For whom did a rank wait when the recording ended?
//
// A job that hangs, or is killed, leaves calls that never returned. A partner that never came has
// no call that could be compared with the one that waits; but the arguments name it: the source of
// a receive, the destination of a send, the members of a communicator that have not entered.

#include "analysis/waits/cut_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/sentences.h"
#include "base/units.h"
#include "calls/call_actions.h"
#include "calls/replay.h"
#include "calls/run_span.h"
#include "trace/operation_kinds.h"

namespace slackline {
namespace {

class PartnerSearch {
 public:
  PartnerSearch(const Trace& trace, const CallMatching& matching, std::int32_t rank, CallIndex call)
      : trace_(trace), matching_(matching), calls_(trace.calls(rank)), rank_(rank), call_(call) {}

  std::optional<MissingPartner> find() {
    look_at_completions();
    if (found_ || has_partner_) return found_;
    const Call call = calls_.action(call_);
    switch (operation_class(call.operation)) {
      case OperationClass::recv:
      case OperationClass::probe:
        take(call.peer, WaitPattern::late_sender);
        break;
      case OperationClass::sendrecv:
        if (call.args.size() >= 2) take(receive_half(call).peer, WaitPattern::late_sender);
        break;
      case OperationClass::completion:
        look_at_requests(call);
        break;
      default:
        break;
    }
    return found_;
  }

 private:
  using Kind = CallMatching::Completion::Kind;

  void take(std::int32_t rank, WaitPattern pattern) {
    if (!found_ && rank >= 0 && rank < trace_.ranks() && rank != rank_) found_ = {rank, pattern};
  }

  void look_at_completions() {
    matching_.for_completions(rank_, call_, [&](const CallMatching::Completion& c) {
      switch (c.kind) {
        case Kind::outgoing:
          if (!matching_.message(c.id).matched()) {
            take(matching_.message(c.id).destination, WaitPattern::late_receiver);
          }
          return;
        case Kind::collective:
          return look_at_collective(matching_.collective(c.id));
        case Kind::incoming:
        case Kind::probed:
          has_partner_ = operation_class(calls_.operation(call_)) != OperationClass::completion;
          return;
      }
    });
  }

  void look_at_collective(const CollectiveInstance& c) {
    switch (rule_by_operation(c.operation)) {
      case CollectiveRule::wait_for_root:
        if (matching_.member(c, c.root) == nullptr) take(c.root, WaitPattern::late_broadcast);
        return;
      case CollectiveRule::root_waits:
        if (rank_ == c.root) take_missing_member(c, WaitPattern::early_reduce);
        return;
      case CollectiveRule::all_wait:
        return take_missing_member(
            c, c.operation == Operation::barrier ? WaitPattern::barrier : WaitPattern::nxn);
      default:
        return;  // which ranks it needs is not known
    }
  }

  void take_missing_member(const CollectiveInstance& c, WaitPattern pattern) {
    const Communicator& comm = trace_.communicators()[c.comm];
    std::optional<std::int32_t> waiting;
    const auto look = [&](std::int32_t rank) {
      if (matching_.member(c, rank) != nullptr || trace_.calls(rank).empty()) return;
      if (!cut_call(trace_.calls(rank))) return take(rank, pattern);
      if (!waiting) waiting = rank;
    };
    if (c.comm == kCommWorld || comm.members.empty()) {
      for (std::int32_t rank = 0; rank < trace_.ranks(); ++rank) look(rank);
    } else {
      std::ranges::for_each(comm.members, look);
      std::ranges::for_each(comm.remote, look);
    }
    if (waiting) take(*waiting, pattern);
  }

  /// A receive that is not matched completes nothing: the call that posted it names the source.
  void look_at_requests(const Call& call) {
    std::vector<std::uint32_t> waited;
    for_each_completed_request(call, [&](std::uint32_t serial) { waited.push_back(serial); });
    std::ranges::sort(waited);
    const std::vector<Receipt> received = receipts();
    for (CallIndex i = call_; i-- > 0 && !found_;) {
      for_each_receive(calls_.action(i), [&](const PostedMessage& m) {
        if (m.request != kRequestNone && std::ranges::binary_search(waited, m.request) &&
            !std::ranges::binary_search(received, Receipt(i, m.peer))) {
          take(m.peer, WaitPattern::late_sender);
        }
      });
    }
  }

  using Receipt = std::pair<CallIndex, std::int32_t>;  // the call that posted it, and its source

  /// The messages that the call has received, in order.
  std::vector<Receipt> receipts() const {
    std::vector<Receipt> all;
    matching_.for_completions(rank_, call_, [&](const CallMatching::Completion& c) {
      if (c.kind != Kind::incoming) return;
      const MessageCalls& message = matching_.message(c.id);
      all.emplace_back(message.receive, message.source);
    });
    std::ranges::sort(all);
    return all;
  }

  const Trace& trace_;
  const CallMatching& matching_;
  const RankCalls& calls_;
  const std::int32_t rank_;
  const CallIndex call_;
  std::optional<MissingPartner> found_;
  bool has_partner_ = false;
};

std::string state_at_the_end(const Trace& trace, const CallMatching& matching, std::int32_t rank,
                             CallIndex call) {
  const RankCalls& calls = trace.calls(rank);
  const auto length = static_cast<double>(calls.end_ns(call) - calls.begin_ns(call));
  std::string text = fmt::format("rank {} in {} for {}", rank, mpi_name(calls.operation(call)),
                                 format_time_ns(length));
  if (const auto missing = missing_partner(trace, matching, rank, call)) {
    text += fmt::format(": rank {} ", missing->rank);
    switch (missing->pattern) {
      case WaitPattern::late_sender:
        return text + "had not sent";
      case WaitPattern::late_receiver:
        return text + "had not posted a receive";
      default:
        return text + "had not entered it";
    }
  }
  return text;
}

/// Where a job is killed while messages are under way, ranks may be in such calls for an instant.
constexpr double kLasting = 0.01;  // of the run
constexpr std::size_t kRanksNamed = 4;

/// The calls in which ranks wait for each other: each for the next, the last for the first.
class WaitingCircle {
 public:
  WaitingCircle(const Trace& trace, const CallMatching& matching)
      : trace_(trace), next_(static_cast<std::size_t>(trace.ranks()), -1) {
    for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
      const auto call = cut_call(trace.calls(rank));
      // One of several partners would do.
      if (call && succeeds_with_first(trace.calls(rank).operation(*call))) continue;
      const auto partner = call ? missing_partner(trace, matching, rank, *call) : std::nullopt;
      if (partner) next_[static_cast<std::size_t>(rank)] = partner->rank;
    }
  }

  /// Empty: there is none.
  std::vector<std::int32_t> find() const {
    for (std::int32_t rank = 0; rank < trace_.ranks(); ++rank) {
      std::vector<std::int32_t> circle{rank};
      while (circle.size() <= next_.size() && next_of(circle.back()) >= 0) {
        if (next_of(circle.back()) == rank) return circle;
        circle.push_back(next_of(circle.back()));
      }
    }
    return {};
  }

 private:
  std::int32_t next_of(std::int32_t rank) const { return next_[static_cast<std::size_t>(rank)]; }

  const Trace& trace_;
  std::vector<std::int32_t> next_;  // the rank that each waits for; -1: none, or not known
};

std::int64_t length_of_last(const RankCalls& calls) {
  const CallIndex call = cut_call(calls).value_or(0);
  return calls.end_ns(call) - calls.begin_ns(call);
}

void report_deadlock(const Trace& trace, const CallMatching& matching, Findings& findings) {
  const std::vector<std::int32_t> circle = WaitingCircle(trace, matching).find();
  if (circle.empty()) return;
  std::int64_t together_ns = std::numeric_limits<std::int64_t>::max();
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < circle.size(); ++i) {
    const RankCalls& calls = trace.calls(circle[i]);
    together_ns = std::min(together_ns, length_of_last(calls));
    if (i >= kRanksNamed) continue;
    parts.push_back(fmt::format("rank {} waits in {} for rank {}", circle[i],
                                mpi_name(calls.operation(cut_call(calls).value_or(0))),
                                circle[(i + 1) % circle.size()]));
  }
  if (circle.size() > kRanksNamed) {
    parts.push_back(count_of(circle.size() - kRanksNamed, "more rank"));
  }
  const auto run_ns = static_cast<double>(run_span(trace).whole.length_ns());
  if (static_cast<double>(together_ns) < kLasting * run_ns) return;
  findings.add(kDeadlock, fmt::format("{}, since {} before its end", enumeration(parts),
                                      format_time_ns(static_cast<double>(together_ns))));
}

}  // namespace

std::optional<MissingPartner> missing_partner(const Trace& trace, const CallMatching& matching,
                                              std::int32_t rank, CallIndex call) {
  return PartnerSearch(trace, matching, rank, call).find();
}

std::optional<CallIndex> cut_call(const RankCalls& calls) {
  for (auto i = static_cast<CallIndex>(calls.size()); i-- > 0;) {
    if (calls.thread(i) != 0) continue;
    return calls.is_cut(i) ? std::optional(i) : std::nullopt;
  }
  return std::nullopt;
}

void report_cut_calls(const Trace& trace, const CallMatching& matching, Findings& findings) {
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    if (const auto call = cut_call(trace.calls(rank))) {
      findings.add(kEndedInCall, state_at_the_end(trace, matching, rank, *call));
    }
  }
  report_deadlock(trace, matching, findings);
}

}  // namespace slackline
