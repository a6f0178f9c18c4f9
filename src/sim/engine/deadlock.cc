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

std::string blocked_on(const ExecutionContext& context, const ContextScheduler& contexts,
                       const Matching& matching) {
  const Channel& probed = context.polled.probed;
  if (context.state == State::probing) {
    return fmt::format("{}, tag {}", message_from(probed.source), probed.tag);
  }
  if (context.polled.by_collective != CollectiveProbe::none) {
    return message_from(probed.source) + ", as a step of it,";
  }
  const Request& request = context.waiting.for_request;
  if (request.kind == Request::Kind::context) {
    return fmt::format("its nonblocking collective, which waits for {}",
                       blocked_on(contexts[request.id], contexts, matching));
  }
  const Transfer& t = matching[request.id];
  const bool sends = request.kind == Request::Kind::send;
  const std::string what =
      sends ? fmt::format("rank {} to receive {} bytes", t.channel.destination, t.bytes)
            : message_from(t.sender);
  if (context.collective.instance != nullptr) return what + ", as a step of it,";
  return fmt::format("{}, tag {}", what, t.channel.tag);
}

}  // namespace

void throw_deadlock(const Trace& trace, const ContextScheduler& contexts,
                    const Matching& matching) {
  std::string who;
  std::size_t shown = 0, stuck = 0;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const ExecutionContext& context = contexts[static_cast<ContextId>(r)];
    if (context.state == State::finished) continue;
    ++stuck;
    if (shown == kRanksShown) continue;
    ++shown;
    const std::uint32_t call = context.program.call;
    who += fmt::format("{}rank {} in {} (call {}) waits for {} since {}", who.empty() ? "" : "; ",
                       r, identifier(trace.calls(r).operation(call)), call,
                       blocked_on(context, contexts, matching),
                       format_time_ns(ns_of_seconds(context.waiting.since)));
  }
  if (stuck > shown) who += fmt::format("; and {} more", stuck - shown);
  throw Error(fmt::format("the program deadlocks at {}: {} of {} ranks wait forever",
                          format_time_ns(ns_of_seconds(contexts.now())), stuck, trace.ranks()),
              who,
              "A receive has no matching send, or sends above smpi/send-is-detached-thresh wait "
              "for each other.");
}

}  // namespace slackline::sim
