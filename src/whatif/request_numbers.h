#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "trace/operation_kinds.h"
#include "trace/start_groups.h"
#include "trace/trace.h"

namespace slackline {

/// Calls starts(number) for each request that the call makes, and refers(number) for each that it
/// completes, frees or asks about; they may change the numbers of `call`, and those of `args`, its
/// arguments, where these are not constant. kRequestNone is left out.
template <class Args, class Starts, class Refers>
void visit_requests(Call& call, Args args, Starts starts, Refers refers) {
  const OperationClass kind = operation_class(call.operation);
  const bool refers_to_some = kind == OperationClass::completion ||
                              kind == OperationClass::request_other ||
                              kind == OperationClass::start;
  if (call.request != kRequestNone) refers_to_some ? refers(call.request) : starts(call.request);
  const auto visit_args = [&](std::size_t step, auto visit) {
    for (std::size_t at = 0; at + step <= args.size(); at += step) {
      auto number = static_cast<std::uint32_t>(args[at]);
      if (number == kRequestNone) continue;
      visit(number);
      if constexpr (std::is_assignable_v<decltype(args[at]), std::int64_t>) args[at] = number;
    }
  };
  if (kind == OperationClass::start) visit_args(kStartGroup, starts);
  const bool completes = kind == OperationClass::completion && !call.has(SLK_FLAG_FAILED);
  if (completes) visit_args(1, refers);  // of a failed one they are counts
}

/// The same for call `i`, as it is.
template <class Starts, class Refers>
void visit_requests(const RankCalls& calls, std::size_t i, Starts starts, Refers refers) {
  Call call = calls.action(i);
  visit_requests(call, call.args, starts, refers);
}

/// A number that no request of the rank has, and none above it. Throws Error where there is none.
std::uint32_t first_free_request(const RankCalls& calls);

/// The trace with a number of its own for every request of a rank, where some number is used again
/// after its request was completed; edits then may name a request by its number. Nothing where
/// every request has one already. A completion of a request that the trace does not start
/// completes nothing in either. Linear.
std::optional<Trace> with_distinct_requests(const Trace& trace);

}  // namespace slackline
