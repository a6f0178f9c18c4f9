#include "calls/iterations.h"

#include <bit>

#include "base/flat_map.h"
#include "calls/run_span.h"

namespace slackline {
namespace {

struct Identity {
  std::uint64_t operator()(std::uint64_t hash) const { return hash; }
};

bool has_partner(const RankCalls& calls, std::size_t call) {
  switch (operation_class(calls.operation(call))) {
    case OperationClass::send:
    case OperationClass::sendrecv:
    case OperationClass::isend:
    case OperationClass::collective:
    case OperationClass::icollective:
      return true;
    case OperationClass::recv:
    case OperationClass::irecv:
      return !calls.has(call, SLK_FLAG_ANY_SOURCE);
    default:
      return false;
  }
}

std::uint64_t kind_of_call(const RankCalls& calls, std::size_t call, PathId path,
                           CallDistinction distinction) {
  std::uint64_t hash = mix_bits(static_cast<std::uint64_t>(calls.frame(call)) << 32 | path) +
                       static_cast<std::uint64_t>(calls.operation(call));
  if (distinction == CallDistinction::by_partner && has_partner(calls, call)) {
    hash = mix_bits(hash) ^ (static_cast<std::uint64_t>(calls.comm(call)) << 32 |
                             static_cast<std::uint32_t>(calls.peer(call)));
    hash = mix_bits(hash) + static_cast<std::uint64_t>(std::bit_width(calls.bytes(call)));
  }
  return mix_bits(hash + 1);
}

}  // namespace

CallRuns call_runs(const Trace& trace, const CallPaths& paths, std::int32_t rank,
                   CallDistinction distinction) {
  const RankCalls& calls = trace.calls(rank);
  const RankSpan span = rank_span(calls);
  const auto events = calls.regions();
  CallRuns out;
  out.end_call = static_cast<std::uint32_t>(span.last_call);
  FlatMap<std::uint64_t, std::uint32_t, Identity> numbers;
  std::size_t event = 0;
  PathId path = 0;
  for (std::size_t call = span.first_call; call < span.last_call; ++call) {
    while (event < events.size() && events[event].before_call <= call) {
      path = paths.after_event(rank, event++);
    }
    if (calls.has(call, SLK_FLAG_FAILED)) continue;
    std::uint32_t& number = numbers[kind_of_call(calls, call, path, distinction)];
    if (number == 0) number = ++out.kinds;
    if (out.runs.empty() || out.runs.back().kind != number - 1) {
      out.runs.push_back({number - 1, static_cast<std::uint32_t>(call)});
    }
  }
  return out;
}

}  // namespace slackline
