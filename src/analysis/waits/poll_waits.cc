// Waiting by asking again and again.
//
// A test that fails does not say what would have made it succeed; the call that succeeds at last
// does. So failed polls are kept until then, and wait from their begin until the send (the posted
// receive, the last start of a collective) that the successful call needed. A test of all requests
// needs the latest, one of any request the earliest of what it completed. The recorder tells polls
// that follow each other within 2 us as one call, with the time spent inside of MPI. There is no
// room for other work between such polls, so that all of the call is waiting; what of it lies
// between the polls is told apart.
//
// The states are appended when the waiting is over, so that the order of states stays one in which
// causes come first.

#include "analysis/waits/poll_waits.h"
#include "trace/operation_kinds.h"

#include <algorithm>

namespace slackline {
namespace {

/// The part of the first `wait_ns` of a failed poll that lies between the polls of which it
/// consists, as if these were evenly distributed.
std::int64_t between_polls_of(const Call& poll, std::int64_t wait_ns) {
  const std::int64_t duration = poll.end_ns - poll.begin_ns;
  const PollRun run = poll_run(poll);
  if (!poll.has(SLK_FLAG_FAILED) || !run.inside_ns || duration <= 0) return 0;
  const std::int64_t between = std::clamp<std::int64_t>(duration - *run.inside_ns, 0, duration);
  const double share = static_cast<double>(between) / static_cast<double>(duration);
  return static_cast<std::int64_t>(share * static_cast<double>(wait_ns));
}

}  // namespace

PollWaits::PollWaits(const Trace& trace, const CallMatching& matching,
                     const CollectiveWaits& collectives, const WaitOptions& options,
                     std::int32_t rank, std::vector<WaitState>& states)
    : trace_(trace),
      matching_(matching),
      collectives_(collectives),
      options_(options),
      rank_(rank),
      states_(states) {}

void PollWaits::look(CallIndex call) {
  const RankCalls& calls = trace_.calls(rank_);
  const Operation operation = calls.operation(call);
  if (is_poll(operation) && calls.has(call, SLK_FLAG_FAILED)) return open_.add(calls[call], call);
  if (open_.empty() || !open_.may_end(operation)) return;
  const std::vector<CallIndex> ended = open_.take_ended_by(calls[call]);
  if (ended.empty()) return;
  const std::optional<Cause> cause = cause_of(call, operation);
  if (!cause) return;
  for (const CallIndex poll : ended) add(poll, *cause);
  if (is_poll(operation)) add(call, *cause);
}

std::optional<PollWaits::Cause> PollWaits::cause_of(CallIndex call, Operation operation) const {
  std::optional<Cause> chosen;
  const bool first = succeeds_with_first(operation);
  matching_.for_completions(rank_, call, [&](const CallMatching::Completion& completion) {
    const std::optional<Cause> cause = cause_of(completion, call);
    if (!cause) return;
    if (!chosen ||
        (first ? cause->begin_ns < chosen->begin_ns : cause->begin_ns > chosen->begin_ns))
      chosen = cause;
  });
  return chosen;
}

std::optional<PollWaits::Cause> PollWaits::cause_of(const CallMatching::Completion& completion,
                                                    CallIndex call) const {
  using Kind = CallMatching::Completion::Kind;
  if (completion.kind == Kind::collective) {
    const auto last = collectives_.last_needed(rank_, completion.id);
    if (!last) return std::nullopt;
    return Cause{last->begin_ns, last->rank, last->call, WaitPattern::nonblocking};
  }
  const MessageCalls& m = matching_.message(completion.id);
  if (completion.kind != Kind::outgoing) {
    return Cause{trace_.calls(m.source).begin_ns(m.send), m.source, m.send,
                 WaitPattern::late_sender};
  }
  if (!m.matched() || m.buffered != 0) return std::nullopt;
  if (options_.eager_bytes && m.bytes <= *options_.eager_bytes && m.synchronous == 0) {
    return std::nullopt;
  }
  const std::int64_t posted = trace_.calls(m.destination).begin_ns(m.receive);
  if (posted > trace_.calls(rank_).end_ns(call)) return std::nullopt;  // it went on without
  return Cause{posted, m.destination, m.receive, WaitPattern::late_receiver};
}

void PollWaits::add(CallIndex call, const Cause& cause) {
  const Call poll = trace_.calls(rank_)[call];
  const std::int64_t wait = std::min(cause.begin_ns, poll.end_ns) - poll.begin_ns;
  if (wait <= 0) return;
  states_.push_back({.wait_ns = wait,
                     .between_polls_ns = between_polls_of(poll, wait),
                     .rank = rank_,
                     .call = call,
                     .cause_rank = cause.rank,
                     .cause_call = cause.call,
                     .pattern = cause.pattern,
                     .effective = cause.rank != rank_ && poll.thread == 0,
                     .asked_again = poll.has(SLK_FLAG_FAILED)});
}

}  // namespace slackline
