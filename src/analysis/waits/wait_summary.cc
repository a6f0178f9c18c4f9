#include "analysis/waits/wait_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/waits/waits_in_interval.h"
#include "base/error.h"
#include "base/flat_map.h"
#include "calls/findings.h"
#include "calls/run_span.h"

namespace slackline {
namespace {

constexpr FindingKind kClipped{"waiting_clipped", Severity::notice,
                               "Messages received before they were sent; their wait time is "
                               "limited to the length of the receiving call."};
constexpr FindingKind kNoCommunication{"no_communication", Severity::info,
                                       "The ranks of this trace never wait for each other."};

constexpr FindingKind kRanksLeftOut{
    "ranks_of_places_left_out", Severity::info,
    "Places of little waiting whose wait times by rank are left out of the JSON output, because "
    "there are too many."};

/// With the quartiles between the two nearest values, as is usual.
double quantile(const std::vector<std::int64_t>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  const double part = at - static_cast<double>(low);
  return static_cast<double>(sorted[low]) * (1 - part) + static_cast<double>(sorted[high]) * part;
}

void add_distribution(PatternSummary& p, std::vector<std::int64_t>& lengths) {
  std::ranges::sort(lengths);
  p.least_ns = lengths.front();
  p.most_ns = lengths.back();
  p.lower_quartile_ns = quantile(lengths, 0.25);
  p.median_ns = quantile(lengths, 0.5);
  p.upper_quartile_ns = quantile(lengths, 0.75);
  const double mean = static_cast<double>(p.sum_ns) / static_cast<double>(p.count);
  double squares = 0;
  for (const std::int64_t x : lengths) squares += std::pow(static_cast<double>(x) - mean, 2);
  p.variance = p.count > 1 ? squares / static_cast<double>(p.count - 1) : 0;
}

class WaitSums {
 public:
  WaitSums(const Trace& trace, const CallActivities& names, WaitSummary& out)
      : trace_(trace),
        names_(names),
        out_(out),
        patterns_(kWaitPatterns),
        lengths_(kWaitPatterns),
        place_of_(names.size() * kWaitPatterns, kNoPlace) {
    out.by_rank.resize(ranks());
  }

  void add(const WaitState& s, const WaitOrigin& origin) {
    const auto rank = static_cast<std::size_t>(s.rank);
    const auto which = static_cast<std::size_t>(s.pattern);
    PatternSummary& p = patterns_[which];
    p.pattern = s.pattern;
    p.by_rank.resize(ranks());
    if (p.count == 0 || s.wait_ns > p.worst.wait_ns) p.worst = s;
    ++p.count;
    p.sum_ns += s.wait_ns;
    p.between_polls_ns += s.between_polls_ns;
    p.by_rank[rank] += s.wait_ns;
    lengths_[which].push_back(s.wait_ns);
    p.direct_ns += origin.direct_ns;
    p.indirect_ns += origin.indirect_ns;
    p.propagating_ns += origin.propagating_ns;
    if (s.order != MessageOrder::right) {
      ++p.wrong_order_count;
      (s.order == MessageOrder::wrong_same_source ? p.wrong_order_same_ns
                                                  : p.wrong_order_different_ns) += s.wait_ns;
    }
    if (s.effective) {
      out_.total_ns += s.wait_ns;
      out_.by_rank[rank] += s.wait_ns;
    }
    const std::size_t at = place_of(s);
    WaitPlace& place = out_.places[at];
    ++place.count;
    place.sum_ns += s.wait_ns;
    of_ranks_[static_cast<std::uint64_t>(at) * ranks() + rank] += s.wait_ns;
  }

  void finish() {
    for (std::size_t i = 0; i < kWaitPatterns; ++i) {
      if (patterns_[i].count == 0) continue;
      add_distribution(patterns_[i], lengths_[i]);
      out_.patterns.push_back(std::move(patterns_[i]));
    }
    of_ranks_.for_each([this](std::uint64_t key, std::int64_t ns) {
      out_.places[key / ranks()].ranks.push_back({static_cast<std::int32_t>(key % ranks()), ns});
    });
    for (WaitPlace& place : out_.places) std::ranges::sort(place.ranks, {}, &RankWait::rank);
    std::ranges::stable_sort(out_.places, std::greater{}, &WaitPlace::sum_ns);
  }

 private:
  static constexpr std::size_t kNoPlace = static_cast<std::size_t>(-1);

  std::size_t ranks() const { return static_cast<std::size_t>(trace_.ranks()); }

  struct KeyHash {
    std::uint64_t operator()(std::uint64_t key) const { return mix_bits(key); }
  };

  std::size_t place_of(const WaitState& s) {
    const ActivityId activity = names_.of(s.rank, s.call).call;
    std::size_t& at = place_of_[activity * kWaitPatterns + static_cast<std::size_t>(s.pattern)];
    if (at == kNoPlace) {
      at = out_.places.size();
      out_.places.push_back(
          {s.pattern, names_.operation(activity), names_.path(activity), 0, 0, {}});
    }
    return at;
  }

  const Trace& trace_;
  const CallActivities& names_;
  WaitSummary& out_;
  std::vector<PatternSummary> patterns_;
  std::vector<std::vector<std::int64_t>> lengths_;
  std::vector<std::size_t> place_of_;                         // by activity and pattern
  FlatMap<std::uint64_t, std::int64_t, KeyHash> of_ranks_{};  // by place and rank
};

void add_interval(const Trace& trace, const TimeInterval& interval, WaitSummary& out) {
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      out.mpi_ns += std::max<std::int64_t>(0, std::min(interval.end_ns, calls.end_ns(i)) -
                                                  std::max(interval.begin_ns, calls.begin_ns(i)));
    }
  }
  out.interval = interval;
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
  const TimeInterval of = interval.value_or(run_span(trace).whole);
  WaitStates waits = wait_states(trace, matching, options);
  if (interval) waits = waits_in_interval(trace, waits, of);
  const CallActivities names(trace, paths);
  // Regions that the program has marked say less about the code than its functions.
  if (!trace.call_tree().empty() && !paths.has_functions()) {
    WaitSummary out = summarize_states(trace, matching, names, waits, of);
    const CallPaths functions = CallPaths::of_functions(trace);
    out.in_code =
        waits_in_code(trace, matching, waits, CallActivities(trace, functions), options.samples);
    return out;
  }
  const auto collector = collect_waits_in_code(trace, waits, names, options.samples);
  WaitSummary out = summarize_states(trace, matching, names, waits, of, collector.get());
  out.in_code = collector->take();
  return out;
}

WaitSummary summarize_states(const Trace& trace, const CallMatching& matching,
                             const CallActivities& names, const WaitStates& waits,
                             const TimeInterval& interval, DelayVisitor* visitor) {
  WaitSummary out;
  out.findings.merge(matching.findings());
  if (waits.clipped > 0) {
    out.findings.add(kClipped, fmt::format("{} ns in total", waits.clipped_ns), waits.clipped);
  }
  if (waits.released > 0) out.findings.add(kReplayReleased, {}, waits.released);
  if (waits.states.empty()) out.findings.add(kNoCommunication);
  out.delays = delay_costs(trace, matching, waits, names, visitor);
  WaitSums sums(trace, names, out);
  for (std::size_t i = 0; i < waits.states.size(); ++i) {
    sums.add(waits.states[i], out.delays.origins[i]);
  }
  sums.finish();
  const std::size_t given = places_given_by_rank(out, trace.ranks());
  if (given < out.places.size()) out.findings.add(kRanksLeftOut, {}, out.places.size() - given);
  add_interval(trace, interval, out);
  return out;
}

}  // namespace slackline
