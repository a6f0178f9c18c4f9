#include "analysis/waits/wait_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "analysis/waits/cut_calls.h"
#include "analysis/waits/poll_waits.h"
#include "base/error.h"
#include "calls/findings.h"
#include "calls/run_span.h"
#include "trace/operation_kinds.h"

namespace slackline {
namespace {

constexpr FindingKind kClipped{"waiting_clipped", Severity::notice,
                               "Messages received before they were sent; their wait time is "
                               "limited to the length of the receiving call."};
constexpr FindingKind kNoCommunication{
    "no_communication", Severity::info,
    "The ranks never wait for each other in the analysed interval."};

constexpr FindingKind kRanksLeftOut{
    "ranks_of_places_left_out", Severity::info,
    "Places of little waiting whose wait times by rank are left out of the JSON output, because "
    "there are too many."};

/// The lengths of one pattern, ascending.
class Lengths {
 public:
  explicit Lengths(std::span<const LengthCount> lengths) : lengths_(lengths) {
    for (const LengthCount& length : lengths) count_ += length.count;
  }

  /// With the quartiles between the two nearest values, as is usual.
  double quantile(double q) const {
    const double at = q * static_cast<double>(count_ - 1);
    const auto low = static_cast<std::uint64_t>(at);
    const double part = at - static_cast<double>(low);
    return static_cast<double>(value(low)) * (1 - part) +
           static_cast<double>(value(std::min(low + 1, count_ - 1))) * part;
  }

 private:
  std::int64_t value(std::uint64_t index) const {
    auto at = lengths_.begin();
    for (; index >= at->count; ++at) index -= at->count;
    return at->ns;
  }

  std::span<const LengthCount> lengths_;
  std::uint64_t count_ = 0;
};

/// In ns^2. From integers, so that nothing cancels out.
double variance_of(const PatternSum& p) {
  if (p.count < 2) return 0;
  const Int128 square = Int128{p.sum_ns} * p.sum_ns;
  const auto n = static_cast<Int128>(p.count);
  const Int128 whole = square / n;
  const double rest = static_cast<double>(square % n) / static_cast<double>(p.count);
  const double squares = static_cast<double>(p.squares - whole) - rest;
  return std::max(0.0, squares) / static_cast<double>(p.count - 1);
}

std::vector<PatternSummary> summaries_of_patterns(const WaitSums& sums, std::size_t ranks) {
  std::vector<PatternSummary> all;
  auto place = sums.places.begin();
  for (const PatternSum& sum : sums.patterns) {
    PatternSummary& p = all.emplace_back(PatternSummary{sum});
    const Lengths lengths(
        std::ranges::equal_range(sums.lengths, p.pattern, {}, &LengthCount::pattern));
    // Rounded lengths may lie outside of all others.
    const auto quantile = [&](double q) {
      return std::clamp(lengths.quantile(q), static_cast<double>(p.least_ns),
                        static_cast<double>(p.worst.wait_ns));
    };
    p.lower_quartile_ns = quantile(0.25);
    p.median_ns = quantile(0.5);
    p.upper_quartile_ns = quantile(0.75);
    p.variance = variance_of(p);
    p.by_rank.resize(ranks);
    for (; place != sums.places.end() && place->of.pattern == p.pattern; ++place) {
      p.by_rank[static_cast<std::size_t>(place->of.rank)] += place->sum_ns;
    }
  }
  return all;
}

/// Largest first.
std::vector<WaitPlace> places_of(const WaitSums& sums) {
  std::vector<WaitPlace> places;
  for (const PlaceSum& sum : sums.places) {
    const PlaceSum::Key& of = sum.of;
    if (places.empty() || places.back().pattern != of.pattern ||
        places.back().operation != of.operation || places.back().path != of.path) {
      places.push_back({of.pattern, of.operation, of.path, 0, 0, 0, {}});
    }
    WaitPlace& place = places.back();
    place.count += sum.count;
    place.sum_ns += sum.sum_ns;
    place.effective_ns += sum.effective_ns;
    place.ranks.push_back({of.rank, sum.sum_ns});
  }
  std::ranges::stable_sort(places, std::greater{}, &WaitPlace::sum_ns);
  return places;
}

std::vector<RankExtent> rank_extents(const Trace& trace) {
  std::vector<RankExtent> ranks;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) ranks.push_back(rank_extent(trace.calls(r)));
  return ranks;
}

Findings findings_of(const Trace& trace, const CallMatching& matching, std::uint64_t clipped,
                     std::int64_t clipped_ns, std::uint64_t released) {
  Findings findings;
  findings.merge(matching.findings());
  report_cut_calls(trace, matching, findings);
  if (clipped > 0) findings.add(kClipped, fmt::format("{} ns in total", clipped_ns), clipped);
  if (released > 0) findings.add(kReplayReleased, {}, released);
  return findings;
}

}  // namespace

std::size_t places_given_by_rank(const WaitSummary& summary, std::int32_t ranks) {
  constexpr std::size_t kMostNumbers = std::size_t{1} << 22;
  return std::min(summary.places.size(),
                  kMostNumbers / static_cast<std::size_t>(std::max(1, ranks)));
}

WaitSummary summarize_waits(const Trace& trace, const CallMatching& matching,
                            const CallPaths& paths, const WaitOptions& options,
                            const std::optional<TimeInterval>& interval) {
  if (!trace.timed()) {
    throw Error("cannot find wait states in an untimed trace", "it has no timestamps",
                "Record a run of the program.");
  }
  const RunSpan span = run_span(trace);
  const WaitNames names(trace, paths);
  const WaitPart part = wait_part(trace, matching, CausalOrder(trace, matching), names, options,
                                  interval, {.whole = span.whole});
  WaitSummary out =
      summary_of(part.sums, rank_extents(trace), interval.value_or(span.whole),
                 findings_of(trace, matching, part.clipped, part.clipped_ns, part.released));
  CodeCauses causes(part.by_code, trace.call_tree(), trace.ranks());
  CauseTimes times;
  if (causes.needs_calls()) {
    times = causes.times_of(trace, names.of_code(), ComputationCode(trace, options.samples), {});
  }
  out.in_code = causes.take(times);
  return out;
}

WaitSummary summarize_states(const Trace& trace, const CallMatching& matching,
                             const CallActivities& names, const WaitStates& waits,
                             const TimeInterval& interval) {
  DelayCosts delays = delay_costs(trace, matching, waits, names);
  WaitSummary out = summary_of(
      WaitSums(trace, names, waits, delays, interval, {}, {}), rank_extents(trace), interval,
      findings_of(trace, matching, waits.clipped, waits.clipped_ns, waits.released));
  out.delays.origins = std::move(delays.origins);
  return out;
}

WaitSummary summary_of(const WaitSums& sums, std::span<const RankExtent> ranks,
                       const TimeInterval& interval, Findings findings) {
  WaitSummary out;
  out.findings = std::move(findings);
  out.interval = interval;
  out.run = run_span(ranks).whole;
  for (const RankExtent& rank : ranks) out.has_calls.push_back(rank.calls > 0);
  for (const RankWaitSum& rank : sums.ranks) {
    out.by_rank.push_back(rank.waiting_ns);
    out.total_ns += rank.waiting_ns;
    out.mpi_ns += rank.mpi_ns;
  }
  out.patterns = summaries_of_patterns(sums, ranks.size());
  out.places = places_of(sums);
  out.delays.costs = sums.delays;
  sort_by_total(out.delays.costs);
  out.delays.unexplained_ns = sums.explained.front().unexplained_ns;
  out.delays.waiting_ns = sums.explained.front().waiting_ns;
  const std::size_t given = places_given_by_rank(out, static_cast<std::int32_t>(ranks.size()));
  if (out.patterns.empty()) out.findings.add(kNoCommunication);
  if (given < out.places.size()) out.findings.add(kRanksLeftOut, {}, out.places.size() - given);
  return out;
}

namespace {

using ByOperation = std::array<std::int64_t, kOperationCount>;

/// Between a failed poll and the next call, where that is a poll of the same kind.
ByOperation gaps_of(const RankCalls& calls, const TimeInterval& analysed) {
  ByOperation sums{};
  for (std::size_t i = 1; i < calls.size(); ++i) {
    const Operation operation = calls.operation(i);
    if (operation != calls.operation(i - 1) || !is_poll(operation)) continue;
    if (!calls.has(i - 1, SLK_FLAG_FAILED)) continue;
    const std::int64_t from = std::max(calls.end_ns(i - 1), analysed.begin_ns);
    const std::int64_t to = std::min(calls.begin_ns(i), analysed.end_ns);
    if (to > from) sums[static_cast<std::size_t>(operation)] += to - from;
  }
  return sums;
}

}  // namespace

PollGaps poll_gaps(const Trace& trace, const TimeInterval& analysed) {
  PollGaps gaps;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const ByOperation sums = gaps_of(trace.calls(r), analysed);
    std::int64_t of_rank = 0;
    for (const std::int64_t ns : sums) of_rank += ns;
    gaps.sum_ns += of_rank;
    if (of_rank <= gaps.rank_ns) continue;
    gaps.rank = r;
    gaps.rank_ns = of_rank;
    gaps.operation = static_cast<Operation>(std::ranges::max_element(sums) - sums.begin());
  }
  return gaps;
}

}  // namespace slackline
