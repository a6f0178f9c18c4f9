#include "sim/engine/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

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

/// What to do where all that wait forever are in collectives of one communicator: those in the
/// first of them wait for ranks that have entered it, too, so its algorithm is to blame, and
/// nothing that the program does.
std::string advice_on_algorithm(const std::vector<const ExecutionContext*>& stuck) {
  const CollectiveIndex::Instance* const instance = stuck.front()->collective.instance;
  const bool in_one = std::ranges::all_of(stuck, [&](const ExecutionContext* c) {
    const CollectiveProgress& p = c->collective;
    return instance != nullptr && p.instance != nullptr && p.algorithm != nullptr &&
           p.instance->comm == instance->comm;
  });
  // A rank that has finished may never have entered it.
  if (!in_one || stuck.size() != static_cast<std::size_t>(instance->call.size)) return {};
  const CollectiveProgress& first =
      (*std::ranges::min_element(stuck, {}, [](const ExecutionContext* c) {
        return c->collective.sequence;
      }))->collective;
  const CollectiveCall& call = first.instance->call;
  const std::string_view name =
      first.algorithm->smpi_name.empty() ? first.algorithm->name : first.algorithm->smpi_name;
  return fmt::format(
      "The algorithm '{}' of {} deadlocks with {} ranks and {} bytes, as SimGrid's does. Choose "
      "another one: --option smpi/{}:NAME.",
      name, mpi_name(call.operation), call.size, call.bytes, identifier(call.operation));
}

}  // namespace

void throw_deadlock(const Trace& trace, const ContextScheduler& contexts, const Matching& matching,
                    const LiveCalls* live) {
  const Waits waits(contexts, matching, live);
  const CallPathNames paths(trace, live);
  std::string who;
  std::size_t shown = 0;
  std::vector<const ExecutionContext*> stuck;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const ExecutionContext& context = contexts[static_cast<ContextId>(r)];
    if (context.state == State::finished) continue;
    stuck.push_back(&context);
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
  if (stuck.size() > shown) who += fmt::format("{}and {} more", kListItem, stuck.size() - shown);
  const std::string of_live = live != nullptr ? live->deadlock_advice() : std::string();
  const std::string of_algorithm = advice_on_algorithm(stuck);
  const std::string of_program = fmt::format(
      "A receive has no matching send, or sends above smpi/send-is-detached-thresh wait for each "
      "other.{}{}",
      of_live.empty() ? "" : " ", of_live);
  throw Error(
      fmt::format("the {} deadlocks at {}: {} of {} ranks wait forever",
                  of_algorithm.empty() ? "program" : "algorithm of a collective",
                  format_time_ns(ns_of_seconds(contexts.now())), stuck.size(), trace.ranks()),
      who, of_algorithm.empty() ? of_program : of_algorithm);
}

}  // namespace slackline::sim
