#include "calls/clock_correction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/units.h"
#include "calls/causality.h"
#include "calls/logical_clock.h"

namespace slackline {
namespace {

constexpr std::uint64_t kExplained = 10;  // at most one violation in this many may remain
constexpr std::uint64_t kNoChance = 10;   // violations on one clock: fewer may be mismatched calls

bool explains(const ClockEstimate& e) {
  return e.violations > 0 && e.remaining * kExplained <= e.violations;
}

bool is_moved(const ClockMap& map) {
  return map.offset_ns != 0 || map.drift != 0;
}

std::uint64_t on_one_clock(const CausalityCheck& check) {
  return check.on_one_clock + check.collectives_on_one_clock;
}

/// Constants of each rank, where they explain what runs back in time on one clock.
std::optional<ClockEstimate> estimate_by_rank(const Trace& trace, const CallMatching& matching,
                                              const CausalityCheck& check) {
  if (on_one_clock(check) < kNoChance) return std::nullopt;
  ClockEstimate by_rank = estimate_clocks(trace, matching, clock_of_each_rank(trace));
  if (!explains(by_rank) || by_rank.drifts()) return std::nullopt;
  return by_rank;
}

/// By how much all times have to move on so that none is negative.
std::int64_t common_shift(const ClockEstimate& estimate, const Trace& trace) {
  std::int64_t earliest = 0;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    if (calls.empty()) continue;
    const ClockMap& map = estimate.maps[estimate.clocks.of_rank[static_cast<std::size_t>(r)]];
    const bool has_start = calls.start_ns() != 0;
    earliest = std::min(earliest, map(has_start ? calls.start_ns() : calls.begin_ns(0)));
  }
  return -earliest;
}

void apply(const ClockEstimate& estimate, TraceBuilder& trace) {
  const std::int64_t shift = common_shift(estimate, trace);
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const ClockMap& map = estimate.maps[estimate.clocks.of_rank[static_cast<std::size_t>(r)]];
    if (!is_moved(map) && shift == 0) continue;
    RankCallsBuilder& calls = trace.calls(r);
    // A start of 0 is the trace's, and was not read from the clock.
    const bool has_start = calls.start_ns() != 0;
    calls.map_times([&map, shift](std::int64_t t) { return map(t) + shift; });
    if (!has_start) calls.set_start_ns(0);
  }
}

/// From now on these ranks are known not to have one clock.
void note_offsets(const ClockEstimate& estimate, TraceBuilder& trace) {
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const ClockMap& map = estimate.maps[estimate.clocks.of_rank[static_cast<std::size_t>(r)]];
    trace.rank_info(r).clock_offset_ns += map.offset_ns;
  }
}

/// The clock that was moved most, in words.
void report_correction(const FindingKind& kind, const ClockEstimate& estimate,
                       TraceBuilder& trace) {
  std::uint64_t moved = 0;
  std::size_t worst = 0;
  for (std::size_t c = 0; c < estimate.maps.size(); ++c) {
    if (!is_moved(estimate.maps[c])) continue;
    ++moved;
    if (std::abs(estimate.maps[c].offset_ns) >= std::abs(estimate.maps[worst].offset_ns)) worst = c;
  }
  if (moved == 0) return;
  const ClockMap& map = estimate.maps[worst];
  std::string example =
      fmt::format("{} added to rank {}", format_time_ns(static_cast<double>(map.offset_ns)),
                  estimate.clocks.ranks[worst].front());
  if (map.drift != 0) example += fmt::format(", drift {:+.3f} us/s", map.drift * 1e6);
  if (!estimate.at_begin.empty()) {
    const FeasibleInterval& i = estimate.at_begin[worst];
    if (std::isfinite(i.low) && std::isfinite(i.high)) {
      example +=
          fmt::format(" (feasible: {} to {})", format_time_ns(i.low), format_time_ns(i.high));
    }
  }
  trace.findings().add(kind, example, moved);
}

}  // namespace

ClockCorrection correct_clocks(TraceBuilder& trace, const CallMatching& matching,
                               ClockPolicy policy) {
  ClockCorrection result;
  if (!trace.timed() || policy == ClockPolicy::as_read) return result;
  const CausalityCheck check = check_causality(trace, matching);
  const bool always = policy == ClockPolicy::always;
  const bool needed = check.beyond_error > 0 || on_one_clock(check) >= kNoChance;
  if (always ? check.violations + check.collectives == 0 : !needed) return result;
  if (std::optional<ClockEstimate> by_rank = estimate_by_rank(trace, matching, check)) {
    result.estimate = std::move(*by_rank);
    result.corrected = true;
    apply(result.estimate, trace);
    note_offsets(result.estimate, trace);
    report_correction(kClocksOfOneHost, result.estimate, trace);
  } else if (always ? check.violations + check.collectives > on_one_clock(check)
                    : check.beyond_error > 0) {
    result.estimate = estimate_clocks(trace, matching, group_by_clock(trace));
    result.corrected = explains(result.estimate);
    if (result.corrected) {
      apply(result.estimate, trace);
      report_correction(kClocksCorrected, result.estimate, trace);
    }
  }
  const bool moves_calls = always || (result.corrected && result.estimate.remaining > 0);
  if (moves_calls) restore_causality(trace, matching);
  if (!result.corrected && !always && check.beyond_error > 0)
    trace.findings().add(kClocksInconsistent, worst_violation(check));
  return result;
}

}  // namespace slackline
