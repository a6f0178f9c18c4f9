#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace slackline {

/// Are the times of both ranks known to be of one clock: one host, and nothing had to be added?
/// What one of them did before the other one is certain then.
inline bool have_one_clock(const Trace& trace, std::int32_t a, std::int32_t b) {
  const RankInfo& one = trace.rank_info(a);
  const RankInfo& other = trace.rank_info(b);
  const auto as_read = [](const RankInfo& r) {
    return r.clock_offset_ns == 0 && r.clock_drift == 0;
  };
  return !one.host.empty() && one.host == other.host && as_read(one) && as_read(other);
}

/// The same of all ranks that left anything.
inline bool have_one_clock(const Trace& trace) {
  std::int32_t first = -1;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    if (!trace.rank_info(r).present) continue;
    if (first < 0) first = r;
    if (!have_one_clock(trace, first, r)) return false;
  }
  return first >= 0;
}

/// Which ranks have their times from one clock.
struct ClockGroups {
  std::vector<std::uint32_t> of_rank;            ///< number of the rank's clock
  std::vector<std::vector<std::int32_t>> ranks;  ///< of each clock, ascending

  std::size_t size() const { return ranks.size(); }
};

/// Ranks of one host whose times were not corrected before have one clock (have_one_clock()); any
/// other rank has its own. Linear in ranks.
ClockGroups group_by_clock(const Trace& trace);
/// Each rank has its own.
ClockGroups clock_of_each_rank(const Trace& trace);

/// A linear correction of a clock: t becomes t + offset_ns + drift * (t - origin_ns).
struct ClockMap {
  std::int64_t offset_ns = 0;
  double drift = 0;
  std::int64_t origin_ns = 0;

  /// What is added at `t`, rounded to nanoseconds.
  std::int64_t correction_ns(std::int64_t t) const {
    if (drift == 0) return offset_ns;
    return offset_ns + std::llround(drift * static_cast<double>(t - origin_ns));
  }
  std::int64_t operator()(std::int64_t t) const { return t + correction_ns(t); }
};

}  // namespace slackline
