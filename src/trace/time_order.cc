#include "trace/time_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"

namespace slackline {
namespace {

constexpr FindingKind kCallsBeforeStart{
    "calls_before_start", Severity::notice,
    "Ranks with calls before their recorded start; their start was moved to the first call."};
constexpr FindingKind kCallsOverlap{
    "calls_overlap", Severity::notice,
    "Calls that begin before the preceding call of their thread ends, or end before they begin; "
    "they were moved to the earliest possible time."};

struct Mended {
  std::uint64_t calls = 0;
  bool start = false;
};

/// When a thread's last call ended, of those by thread.
std::int64_t& end_of(std::uint16_t thread, std::vector<std::int64_t>& ends_ns) {
  if (thread >= ends_ns.size()) ends_ns.resize(thread + std::size_t{1}, -kTimeLimit_ns);
  return ends_ns[thread];
}

std::uint64_t put_in_order(RankCallsBuilder& calls) {
  if (TimeOrder().add(calls)) return 0;
  std::uint64_t moved = 0;
  std::vector<std::int64_t> ends_ns;
  std::vector<std::int64_t> times;
  times.reserve(2 * calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    std::int64_t& last = end_of(calls.thread(i), ends_ns);
    const std::int64_t begin = std::max(calls.begin_ns(i), last);
    const std::int64_t end = std::max(calls.end_ns(i), begin);
    moved += begin != calls.begin_ns(i) || end != calls.end_ns(i) ? 1 : 0;
    times.insert(times.end(), {begin, end});
    last = end;
  }
  calls.retime(times);
  return moved;
}

bool begin_with_first_call(RankCallsBuilder& calls) {
  if (calls.empty() || calls.begin_ns(0) >= calls.start_ns()) return false;
  calls.set_start_ns(calls.begin_ns(0));
  return true;
}

}  // namespace

bool TimeOrder::add(const RankCalls& calls) {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    std::int64_t& end = end_of(calls.thread(i), ends_ns_);
    if (calls.begin_ns(i) < end || calls.end_ns(i) < calls.begin_ns(i)) return false;
    end = calls.end_ns(i);
  }
  return true;
}

void mend_time_order(TraceBuilder& trace) {
  std::vector<Mended> mended(static_cast<std::size_t>(trace.ranks()));
  parallel_for(mended.size(), [&](std::size_t r) {
    RankCallsBuilder& calls = trace.calls(static_cast<std::int32_t>(r));
    if (trace.timed()) mended[r].calls = put_in_order(calls);
    mended[r].start = begin_with_first_call(calls);
  });
  for (std::size_t r = 0; r < mended.size(); ++r) {
    const std::string rank = fmt::format("rank {}", r);
    if (mended[r].start) trace.findings().add(kCallsBeforeStart, rank);
    if (mended[r].calls > 0) trace.findings().add(kCallsOverlap, rank, mended[r].calls);
  }
}

void check_time_span(const Trace& trace) {
  std::int64_t first = kTimeLimit_ns;
  std::int64_t last = -kTimeLimit_ns;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    first = std::min(first, trace.calls(rank).start_ns());
    last = std::max(last, trace.calls(rank).stop_ns());
  }
  if (trace.ranks() == 0 || last <= first) return;
  const std::uint64_t span = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  const char* const advice = "Check for an unset clock, or a wrong resolution in the header.";
  if (span > std::uint64_t{kTimeLimit_ns}) {
    throw Error("cannot use the trace's times",
                "its ranks start and end more than 146 years apart, beyond 2^62 ns", advice);
  }
  if (span > std::uint64_t{INT64_MAX} / static_cast<std::uint64_t>(trace.ranks())) {
    throw Error("cannot use the trace's times",
                "the sum over all ranks exceeds 292 years, beyond 2^63 ns", advice);
  }
}

}  // namespace slackline
