#include "sim/engine/engine.h"

#include <fmt/format.h>

#include <string>

#include "base/error.h"
#include "base/units.h"
#include "calls/call_paths.h"
#include "sim/engine/live_calls.h"

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

std::string with_tag(const std::string& what, std::int64_t tag) {
  return tag == kTagAny ? what : fmt::format("{}, tag {}", what, tag);
}

/// What ranks wait for, in words.
class Waits {
 public:
  Waits(const ContextScheduler& contexts, const Matching& matching, const LiveCalls* live)
      : contexts_(contexts), matching_(matching), live_(live) {}

  std::string of(const ExecutionContext& context) const {
    const Channel& probed = context.polled.probed;
    if (context.state == State::probing || polls_live(context)) {
      return with_tag(message_from(probed.source), probed.tag);
    }
    if (context.state == State::blocked) return "the lock of a window";
    if (context.polled.by_collective != CollectiveProbe::none) {
      return message_from(probed.source) + ", as a step of it";
    }
    const Request& request = context.waiting.for_request;
    const std::string first =
        request.kind == Request::Kind::context
            ? "its nonblocking collective, which waits for " + of(contexts_[request.id])
            : message(matching_[request.id], request.kind == Request::Kind::send);
    const std::uint32_t all = context.waiting.pending;
    if (context.collective.instance != nullptr) return first + ", as a step of it";
    return all > 1 ? fmt::format("{} (one of {} requests)", first, all) : first;
  }

 private:
  std::string message(const Transfer& t, bool sends) const {
    const Channel channel = live_ != nullptr ? live_->as_asked_for(t.channel) : t.channel;
    const std::string what =
        sends ? fmt::format("rank {} to receive {} bytes", channel.destination, t.bytes)
              : message_from(channel.source);
    return in_collective(channel) ? what : with_tag(what, channel.tag);
  }

  const ContextScheduler& contexts_;
  const Matching& matching_;
  const LiveCalls* live_;
};

/// Names the call path of the call that a rank is in.
class CallPathNames {
 public:
  CallPathNames(const Trace& trace, const LiveCalls* live)
      : recorded_(CallPaths::of_regions_or_functions(trace)), live_(live) {}

  std::string of(std::int32_t rank, std::uint32_t call) const {
    return live_ != nullptr ? live_->call_path(rank)
                            : recorded_.name(recorded_.at_call(rank, call));
  }

 private:
  CallPaths recorded_;
  const LiveCalls* live_;
};

}  // namespace

void throw_deadlock(const Trace& trace, const ContextScheduler& contexts, const Matching& matching,
                    const LiveCalls* live) {
  const Waits waits(contexts, matching, live);
  const CallPathNames paths(trace, live);
  std::string who;
  std::size_t shown = 0, stuck = 0;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const ExecutionContext& context = contexts[static_cast<ContextId>(r)];
    if (context.state == State::finished) continue;
    ++stuck;
    if (shown == kRanksShown) continue;
    ++shown;
    const std::uint32_t begun = context.program.call;
    const std::uint32_t call = polls_live(context) ? begun + 1 : begun;
    const Operation operation =
        polls_live(context) ? Operation::probe : trace.calls(r).operation(call);
    const std::string path = paths.of(r, begun);
    who += fmt::format("{}rank {} in {} (call {}{}{}) waits for {}, since {}", kListItem, r,
                       mpi_name(operation), call, path.empty() ? "" : " in ", path,
                       waits.of(context), format_time_ns(ns_of_seconds(context.waiting.since)));
  }
  if (stuck > shown) who += fmt::format("{}and {} more", kListItem, stuck - shown);
  const std::string advice = live != nullptr ? live->deadlock_advice() : std::string();
  throw Error(fmt::format("the program deadlocks at {}: {} of {} ranks wait forever",
                          format_time_ns(ns_of_seconds(contexts.now())), stuck, trace.ranks()),
              who,
              fmt::format("A receive has no matching send, or sends above "
                          "smpi/send-is-detached-thresh wait for each other.{}{}",
                          advice.empty() ? "" : " ", advice));
}

}  // namespace slackline::sim
