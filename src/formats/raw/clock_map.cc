#include "formats/raw/clock_map.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "formats/raw/raw_file.h"
#include "trace/rank_calls.h"

namespace slackline::raw {

namespace {

bool same_boot(const slk_raw_header& a, const slk_raw_header& b) {
  return std::strcmp(a.host, b.host) == 0 && a.boot_id[0] != '\0' &&
         std::strcmp(a.boot_id, b.boot_id) == 0;
}

/// Clocks drift by parts in a million; what is ten thousand times as much is a damaged sample.
constexpr double kLargestDrift = 0.01;

std::uint64_t on_rank_0(const slk_clock_sample& s) {
  return static_cast<std::uint64_t>(s.local_ns) + static_cast<std::uint64_t>(s.offset_ns);
}

/// A flipped bit in a sample must not throw the rank out of the run: it is of the time when the
/// rank ran, and of when the others did.
bool usable(const slk_clock_sample& s, const slk_raw_header& rank,
            const slk_raw_header& reference) {
  const slk_clock_sample& other = reference.clock_begin;
  slk_raw_header started = reference;
  if (reference.rank != 0) started.monotonic_ns = on_rank_0(other);
  return s.valid == 1 && plausible_time(rank, static_cast<std::uint64_t>(s.local_ns)) &&
         plausible_time(started, on_rank_0(s)) && is_time(s.offset_ns) && s.error_ns >= 0 &&
         is_time(s.error_ns);
}

}  // namespace

ClockMap clock_map(const slk_raw_header& rank, const slk_raw_header& reference) {
  ClockMap map;
  const slk_clock_sample& begin = rank.clock_begin;
  const slk_clock_sample& end = rank.clock_end;
  if (rank.rank == 0) return map;
  // Samples are relative to rank 0; when that is missing, nobody can vouch for one clock.
  const bool one_clock = reference.rank == 0 && same_boot(rank, reference);
  const bool has_begin = usable(begin, rank, reference);
  const bool has_end = usable(end, rank, reference);
  if (!has_begin) {
    const bool plausible = plausible_time(reference, rank.monotonic_ns);
    map.known = one_clock && plausible;
    const std::int64_t apart = elapsed_ns(rank.monotonic_ns, reference.monotonic_ns);
    if (!plausible && is_time(apart)) map.offset_ns = apart;
    return map;
  }
  map.error_ns = begin.error_ns;
  const auto within_error = [](const slk_clock_sample& s) {
    return std::llabs(s.offset_ns) <= s.error_ns;
  };
  if (one_clock && within_error(begin) && (!has_end || within_error(end))) return map;
  map.offset_ns = begin.offset_ns;
  map.at_ns = begin.local_ns;
  const std::int64_t span = end.local_ns - begin.local_ns;
  if (!has_end || span <= 0) return map;
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
