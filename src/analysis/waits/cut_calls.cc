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

/// A rank in a call in which the recording ended.
struct WaitingRank {
  CallIndex call;
  std::int64_t length_ns;
  std::optional<MissingPartner> missing;
  bool needs_it = true;  ///< false: another partner would do, too
};

std::string state_at_the_end(const Trace& trace, std::int32_t rank, const WaitingRank& w) {
  std::string text =
      fmt::format("rank {} in {} for {}", rank, mpi_name(trace.calls(rank).operation(w.call)),
                  format_time_ns(static_cast<double>(w.length_ns)));
  if (w.missing) {
    text += fmt::format(": rank {} ", w.missing->rank);
    switch (w.missing->pattern) {
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

/// By rank; none where a rank was outside of such calls.
using WaitingRanks = std::vector<std::optional<WaitingRank>>;

WaitingRanks waiting_ranks(const Trace& trace, const CallMatching& matching) {
  WaitingRanks all(static_cast<std::size_t>(trace.ranks()));
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    const RankCalls& calls = trace.calls(rank);
    const auto call = cut_call(calls);
    if (!call) continue;
    all[static_cast<std::size_t>(rank)] = {*call, calls.end_ns(*call) - calls.begin_ns(*call),
                                           missing_partner(trace, matching, rank, *call),
                                           !succeeds_with_first(calls.operation(*call))};
  }
  return all;
}

/// Ranks of which each waits for the next, and the last for the first. Empty: there are none.
/// O(ranks).
std::vector<std::int32_t> circle_of(const WaitingRanks& waiting) {
  constexpr std::int32_t kUnseen = -1;
  std::vector<std::int32_t> seen_from(waiting.size(), kUnseen);
  for (std::size_t start = 0; start < waiting.size(); ++start) {
    const auto from = static_cast<std::int32_t>(start);
    std::int32_t rank = from;
    while (seen_from[static_cast<std::size_t>(rank)] == kUnseen) {
      seen_from[static_cast<std::size_t>(rank)] = from;
      const auto& w = waiting[static_cast<std::size_t>(rank)];
      if (w && w->missing && w->needs_it) rank = w->missing->rank;
    }
    // A rank that waits for none ends the walk at itself.
    const auto& last = waiting[static_cast<std::size_t>(rank)];
    if (seen_from[static_cast<std::size_t>(rank)] != from || !last || !last->missing ||
        !last->needs_it) {
      continue;
    }
    std::vector<std::int32_t> circle;
    for (std::int32_t next = rank; circle.empty() || next != rank;) {
      circle.push_back(next);
      next = waiting[static_cast<std::size_t>(next)]->missing->rank;
    }
    return circle;
  }
  return {};
}

void report_deadlock(const Trace& trace, const WaitingRanks& waiting, Findings& findings) {
  const std::vector<std::int32_t> circle = circle_of(waiting);
  if (circle.empty()) return;
  std::int64_t together_ns = std::numeric_limits<std::int64_t>::max();
  std::vector<std::string> parts;
  for (const std::int32_t rank : circle) {
    const WaitingRank& w = *waiting[static_cast<std::size_t>(rank)];
    together_ns = std::min(together_ns, w.length_ns);
    if (parts.size() == kRanksNamed) continue;
    parts.push_back(fmt::format("rank {} waits in {} for rank {}", rank,
                                mpi_name(trace.calls(rank).operation(w.call)), w.missing->rank));
  }
  if (circle.size() > kRanksNamed) {
    parts.push_back(count_of(circle.size() - kRanksNamed, "more rank") + " likewise");
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
  const WaitingRanks waiting = waiting_ranks(trace, matching);
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    const auto& w = waiting[static_cast<std::size_t>(rank)];
    if (w) findings.add(kEndedInCall, state_at_the_end(trace, rank, *w));
  }
  report_deadlock(trace, waiting, findings);
}

}  // namespace slackline
