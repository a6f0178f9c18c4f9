#include "sim/engine/deadlock.h"

#include <fmt/format.h>

#include <string>

#include "base/error.h"
#include "base/units.h"

namespace slackline::sim {
namespace {

using State = ExecutionContext::State;

constexpr std::size_t kRanksShown = 8;

std::string message_from(std::int32_t rank) {
  return rank == kPeerAny ? "a message from any rank" : fmt::format("a message from rank {}", rank);
}

/// In an MPI_Probe that a trace does not have yet, as nothing was found.
bool polls_live(const ExecutionContext& context) {
  return context.main && context.state == State::computing && !context.program.call_open;
}

/// A live program's messages carry numbers in place of tags; what it asked for is in its call.
std::string blocked_on_live(const Call& call, bool sends, const Transfer& t) {
  const std::string what =
      sends ? fmt::format("rank {} to receive {} bytes", t.channel.destination, t.bytes)
            : message_from(call.peer);
  const OperationClass kind = operation_class(call.operation);
  const bool names_tag = kind == OperationClass::send || kind == OperationClass::recv;
  if (!names_tag) return sends ? what : "a message";
  return call.tag == kTagAny ? what : fmt::format("{}, tag {}", what, call.tag);
}

std::string blocked_on(const ExecutionContext& context, const Trace& trace,
                       const ContextScheduler& contexts, const Matching& matching) {
  const Channel& probed = context.polled.probed;
  if (context.state == State::probing || polls_live(context)) {
    const std::string from = message_from(probed.source);
    return probed.tag == kTagAny ? from : fmt::format("{}, tag {}", from, probed.tag);
  }
  if (context.state == State::blocked) return "the lock of a window";
  if (context.polled.by_collective != CollectiveProbe::none) {
    return message_from(probed.source) + ", as a step of it,";
  }
  const Request& request = context.waiting.for_request;
  if (request.kind == Request::Kind::context) {
    return fmt::format("its nonblocking collective, which waits for {}",
                       blocked_on(contexts[request.id], trace, contexts, matching));
  }
  const Transfer& t = matching[request.id];
  const bool sends = request.kind == Request::Kind::send;
  if (!in_collective(t.channel) && t.channel.source == kPeerAny) {
    return blocked_on_live(trace.calls(context.rank).action(context.program.call), sends, t);
  }
  const std::string what =
      sends ? fmt::format("rank {} to receive {} bytes", t.channel.destination, t.bytes)
            : message_from(t.sender);
  if (context.collective.instance != nullptr) return what + ", as a step of it,";
  return fmt::format("{}, tag {}", what, t.channel.tag);
}

}  // namespace

void throw_deadlock(const Trace& trace, const ContextScheduler& contexts, const Matching& matching,
                    std::string_view advice) {
  std::string who;
  std::size_t shown = 0, stuck = 0;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const ExecutionContext& context = contexts[static_cast<ContextId>(r)];
    if (context.state == State::finished) continue;
    ++stuck;
    if (shown == kRanksShown) continue;
    ++shown;
    const std::uint32_t call = context.program.call;
    const Operation operation =
        polls_live(context) ? Operation::probe : trace.calls(r).operation(call);
    who +=
        fmt::format("{}rank {} in {} (call {}) waits for {} since {}", who.empty() ? "" : "; ", r,
                    identifier(operation), call, blocked_on(context, trace, contexts, matching),
                    format_time_ns(ns_of_seconds(context.waiting.since)));
  }
  if (stuck > shown) who += fmt::format("; and {} more", stuck - shown);
  throw Error(fmt::format("the program deadlocks at {}: {} of {} ranks wait forever",
                          format_time_ns(ns_of_seconds(contexts.now())), stuck, trace.ranks()),
              who,
              fmt::format("A receive has no matching send, or sends above "
                          "smpi/send-is-detached-thresh wait for each other.{}{}",
                          advice.empty() ? "" : " ", advice));
}

}  // namespace slackline::sim
