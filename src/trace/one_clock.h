#pragma once

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

}  // namespace slackline
