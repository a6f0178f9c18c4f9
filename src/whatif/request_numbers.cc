#include "whatif/request_numbers.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

bool reuses_numbers(const RankCalls& calls) {
  std::unordered_set<std::uint32_t> started;
  bool reused = false;
  for (std::size_t i = 0; i < calls.size() && !reused; ++i) {
    visit_requests(
        calls, i, [&](std::uint32_t serial) { reused = reused || !started.insert(serial).second; },
        [](std::uint32_t) {});
  }
  return reused;
}

/// Numbers the rank's requests from 1 on, in the order of their start.
void number_anew(RankCallsBuilder& calls) {
  std::unordered_map<std::uint32_t, std::uint32_t> number_of;
  std::uint32_t last = 0;
  const auto start = [&](std::uint32_t& serial) { serial = number_of[serial] = ++last; };
  const auto refer = [&](std::uint32_t& serial) {
    const auto [at, unknown] = number_of.try_emplace(serial, 0);
    if (unknown) at->second = ++last;
    serial = at->second;
  };
  for (std::size_t i = 0; i < calls.size(); ++i) {
    Call call = calls[i];
    visit_requests(call, calls.mutable_args(i), start, refer);
    calls.replace(i, call);
  }
}

}  // namespace

std::uint32_t first_free_request(const RankCalls& calls) {
  std::uint32_t largest = 0;
  const auto see = [&](std::uint32_t serial) { largest = std::max(largest, serial); };
  for (std::size_t i = 0; i < calls.size(); ++i) visit_requests(calls, i, see, see);
  if (largest < std::numeric_limits<std::uint32_t>::max()) return largest + 1;
  throw Error("cannot edit the program", "no number is left for one more request of a rank",
              "Number the requests of each rank from 1 on.");
}

std::optional<Trace> with_distinct_requests(const Trace& trace) {
  std::optional<TraceBuilder> numbered;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    if (!reuses_numbers(trace.calls(rank))) continue;
    if (!numbered) numbered.emplace(Trace(trace));
    number_anew(numbered->calls(rank));
  }
  if (!numbered) return std::nullopt;
  return std::move(*numbered).build();
}

}  // namespace slackline
