#include "analysis/waits/wait_sums.h"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>

#include "base/flat_map.h"
#include "base/keyed_rows.h"

namespace slackline {
namespace {

constexpr std::uint64_t kExactLengths = std::uint64_t{1} << 20;  // of a pattern
constexpr int kRoundedDigits = 13;

struct KeyHash {
  std::uint64_t operator()(std::uint64_t key) const { return mix_bits(key); }
};

/// The middle of all lengths with the same first binary digits; itself of a rounded one.
std::int64_t rounded(std::int64_t ns) {
  const int digits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(ns)));
  const int dropped = digits - kRoundedDigits;
  if (dropped <= 0) return ns;
  return ((ns >> dropped) << dropped) + (std::int64_t{1} << (dropped - 1));
}

void keep_longer(DescribedWait& longest, const DescribedWait& other) {
  const auto order = [](const DescribedWait& w) {
    return std::make_tuple(-w.wait_ns, w.rank, w.call);
  };
  if (order(other) < order(longest)) longest = other;
}

/// Tells what a state's call is.
class Describer {
 public:
  Describer(const Trace& trace, std::span<const CallIndex> first_calls)
      : trace_(trace), first_calls_(first_calls) {}

  DescribedWait operator()(const WaitState& s) const {
    const RankCalls& calls = trace_.calls(s.rank);
    return {s.wait_ns,
            s.rank,
            first_call(s.rank) + s.call,
            calls.operation(s.call),
            calls.begin_ns(s.call),
            calls.end_ns(s.call),
            s.cause_rank,
            s.cause_call == kNoCall ? kNoCall : first_call(s.cause_rank) + s.cause_call};
  }

 private:
  CallIndex first_call(std::int32_t rank) const {
    return first_calls_.empty() ? 0 : first_calls_[static_cast<std::size_t>(rank)];
  }

  const Trace& trace_;
  std::span<const CallIndex> first_calls_;
};

PatternSum sum_of(const WaitState& s, const WaitOrigin& origin, const Describer& describe) {
  PatternSum sum{.pattern = s.pattern,
                 .count = 1,
                 .sum_ns = s.wait_ns,
                 .between_polls_ns = s.between_polls_ns,
                 .least_ns = s.wait_ns,
                 .squares = Int128{s.wait_ns} * s.wait_ns,
                 .worst = describe(s)};
  sum.direct_ns += origin.direct_ns;
  sum.indirect_ns += origin.indirect_ns;
  sum.propagating_ns += origin.propagating_ns;
  if (s.order != MessageOrder::right) {
    sum.wrong_order_count = 1;
    (s.order == MessageOrder::wrong_same_source ? sum.wrong_order_same_ns
                                                : sum.wrong_order_different_ns) = s.wait_ns;
  }
  return sum;
}

/// A row a length; rounded ones need less memory than all of them do.
void append_counts(WaitPattern pattern, std::vector<std::int64_t>& lengths,
                   std::vector<LengthCount>& out) {
  if (lengths.size() > kExactLengths) {
    FlatMap<std::uint64_t, std::uint64_t, KeyHash> counts;
    for (const std::int64_t ns : lengths) ++counts[static_cast<std::uint64_t>(rounded(ns))];
    counts.for_each([&](std::uint64_t ns, std::uint64_t count) {
      out.push_back({pattern, static_cast<std::int64_t>(ns), count});
    });
    return;
  }
  std::ranges::sort(lengths);
  for (std::size_t i = 0, end = 0; i < lengths.size(); i = end) {
    while (end < lengths.size() && lengths[end] == lengths[i]) ++end;
    out.push_back({pattern, lengths[i], end - i});
  }
}

}  // namespace

void PatternSum::add(const PatternSum& other) {
  least_ns = std::min(least_ns, other.least_ns);
  keep_longer(worst, other.worst);
  count += other.count;
  sum_ns += other.sum_ns;
  between_polls_ns += other.between_polls_ns;
  squares += other.squares;
  wrong_order_count += other.wrong_order_count;
  wrong_order_same_ns += other.wrong_order_same_ns;
  wrong_order_different_ns += other.wrong_order_different_ns;
  direct_ns += other.direct_ns;
  indirect_ns += other.indirect_ns;
  propagating_ns += other.propagating_ns;
}

WaitSums::WaitSums(const Trace& trace, const CallActivities& names, const WaitStates& waits,
                   const DelayCosts& delay_costs, const TimeInterval& interval, const RunPart& part,
                   std::span<const CallIndex> first_calls)
    : delays(delay_costs.costs), explained{{delay_costs.unexplained_ns, delay_costs.waiting_ns}} {
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    ranks.push_back({r, 0, 0});
    const RankCalls& calls = trace.calls(r);
    for (std::size_t i = part.lead(); i < calls.size(); ++i) {
      if (calls.thread(i) != 0) continue;
      const std::int64_t inside = std::min(interval.end_ns, calls.end_ns(i)) -
                                  std::max(interval.begin_ns, calls.begin_ns(i));
      ranks.back().mpi_ns += std::max<std::int64_t>(0, inside);
    }
  }
  const Describer describe(trace, first_calls);
  std::array<PatternSum, kWaitPatterns> sums;
  std::array<std::vector<std::int64_t>, kWaitPatterns> lengths_ns;
  for (std::size_t i = 0; i < waits.states.size(); ++i) {
    const WaitState& s = waits.states[i];
    const auto pattern = static_cast<std::size_t>(s.pattern);
    const PatternSum one = sum_of(s, delay_costs.origins[i], describe);
    if (lengths_ns[pattern].empty()) {
      sums[pattern] = one;
    } else {
      sums[pattern].add(one);
    }
    lengths_ns[pattern].push_back(s.wait_ns);
    if (s.effective) ranks[static_cast<std::size_t>(s.rank)].waiting_ns += s.wait_ns;
  }
  for (std::size_t p = 0; p < kWaitPatterns; ++p) {
    if (lengths_ns[p].empty()) continue;
    patterns.push_back(sums[p]);
    append_counts(sums[p].pattern, lengths_ns[p], lengths);
  }
  add_places(trace, names, waits);
  add_up();
}

void WaitSums::add_places(const Trace& trace, const CallActivities& names,
                          const WaitStates& waits) {
  // By activity, pattern and rank: where its row is.
  FlatMap<std::uint64_t, std::uint32_t, KeyHash> rows;
  const auto ranks_count = static_cast<std::uint64_t>(trace.ranks());
  for (const WaitState& s : waits.states) {
    const ActivityId activity = names.of(s.rank, s.call).call;
    const std::uint64_t place = activity * kWaitPatterns + static_cast<std::uint64_t>(s.pattern);
    std::uint32_t& row = rows[place * ranks_count + static_cast<std::uint64_t>(s.rank)];
    if (row == 0) {
      places.push_back(
          {{s.pattern, names.operation(activity), names.path(activity), s.rank}, 0, 0, 0});
      row = static_cast<std::uint32_t>(places.size());
    }
    PlaceSum& sum = places[row - 1];
    ++sum.count;
    sum.sum_ns += s.wait_ns;
    if (s.effective) sum.effective_ns += s.wait_ns;
  }
}

void WaitSums::add_up() {
  round_lengths();
  add_up_tables(tables());
}

void WaitSums::round_lengths() {
  std::array<std::uint64_t, kWaitPatterns> counts{};
  for (const LengthCount& length : lengths) {
    counts[static_cast<std::size_t>(length.pattern)] += length.count;
  }
  for (LengthCount& length : lengths) {
    if (counts[static_cast<std::size_t>(length.pattern)] > kExactLengths) {
      length.ns = rounded(length.ns);
    }
  }
}

}  // namespace slackline
