#include "formats/raw/clock_map.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace slackline::raw {

namespace {

bool same_boot(const slk_raw_header& a, const slk_raw_header& b) {
  return std::strcmp(a.host, b.host) == 0 && a.boot_id[0] != '\0' &&
         std::strcmp(a.boot_id, b.boot_id) == 0;
}

/// Clocks drift by parts in a million; what is ten thousand times as much is a damaged sample.
constexpr double kLargestDrift = 0.01;

/// A flipped bit in a sample must not throw the rank out of the run: clocks on one Earth may
/// differ by their uptimes, not by more.
bool usable(const slk_clock_sample& s) {
  const auto sane = [](std::int64_t v) { return v > -kLongestUptimeNs && v < kLongestUptimeNs; };
  return s.valid == 1 && sane(s.offset_ns) && sane(s.local_ns) && s.error_ns >= 0 &&
         sane(s.error_ns);
}

bool within_error(const slk_clock_sample& s) {
  return !usable(s) || std::llabs(s.offset_ns) <= s.error_ns;
}

}  // namespace

ClockMap clock_map(const slk_raw_header& rank, const slk_raw_header& reference) {
  ClockMap map;
  const slk_clock_sample& begin = rank.clock_begin;
  const slk_clock_sample& end = rank.clock_end;
  if (rank.rank == 0) return map;
  // Samples are relative to rank 0; when that is missing, nobody can vouch for one clock.
  const bool one_clock = reference.rank == 0 && same_boot(rank, reference);
  if (!usable(begin)) {
    map.known = one_clock;
    return map;
  }
  map.error_ns = begin.error_ns;
  if (one_clock && within_error(begin) && within_error(end)) return map;
  map.offset_ns = begin.offset_ns;
  map.at_ns = begin.local_ns;
  const std::int64_t span = end.local_ns - begin.local_ns;
  if (!usable(end) || span <= 0) return map;
  const std::int64_t moved = end.offset_ns - begin.offset_ns;
  // A change smaller than what the measurements can tell, or larger than clocks can, is no drift,
  // but may be an error.
  const std::int64_t change = std::llabs(moved);
  const double drift = static_cast<double>(moved) / static_cast<double>(span);
  const bool drifts = change > begin.error_ns + end.error_ns && std::abs(drift) <= kLargestDrift;
  if (drifts) map.drift = drift;
  map.error_ns = std::max(begin.error_ns, drifts ? end.error_ns : end.error_ns + change);
  return map;
}

}  // namespace slackline::raw
