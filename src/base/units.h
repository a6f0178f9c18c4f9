#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace slackline {

// Times inside the program are integers: nanoseconds for what was measured, femtoseconds for
// model parameters (an L of 3 us and a G of 0.018 ns/B are both exact there, and 2^63 fs is
// 2.5 hours, far beyond any latency). Conversions happen where text is read or written, here.

inline constexpr std::int64_t kFemtosPerNano = 1'000'000;
inline constexpr double kNanosPerSecond = 1e9;

constexpr double ns_of_fs(std::int64_t fs) {
  return static_cast<double>(fs) / static_cast<double>(kFemtosPerNano);
}
constexpr double ns_of_seconds(double seconds) {
  return seconds * kNanosPerSecond;
}

/// "3us", "0.5ms", "250ns", "2s", "1.5" is refused: a time needs its unit (fs ps ns us ms s min h).
/// Exact: a value that is not a whole number of femtoseconds is rounded to the nearest.
/// Throws usage Error naming `what` when it is malformed, negative or over 2.5 hours.
std::int64_t parse_time_fs(std::string_view text, std::string_view what);
/// Result in nanoseconds, rounded to the nearest; durations of runs, up to 146 years.
std::int64_t parse_time_ns(std::string_view text, std::string_view what);

/// "0.018ns/B", "18ps/B", "0s/B"; or a bandwidth: "12.5GB/s", "100Gb/s", "10GiB/s" (its inverse).
/// Result in femtoseconds per byte, rounded to the nearest.
std::int64_t parse_gap_per_byte_fs(std::string_view text, std::string_view what);

/// "256KiB", "64k", "1MB", "4096", "unlimited" (the largest value). K and KiB are 1024; kB is 1000.
/// The error shows `example`.
std::uint64_t parse_bytes(std::string_view text, std::string_view what,
                          std::string_view example = "4096, 256KiB or unlimited");

/// "1%", "2.5 %", or a plain ratio below 1, "0.01": the ratio in millionths, exact.
std::int64_t parse_degradation_ppm(std::string_view text, std::string_view what);

/// A time for people: four significant digits and the unit that fits ("4.636 us").
std::string format_time_ns(double ns);
/// Bytes for people: "1.5 MiB".
/// Two times, each as format_time_ns() has it, with as many more digits as tell them apart (at most
/// 12).
std::pair<std::string, std::string> format_time_range_ns(double begin_ns, double end_ns);
std::string format_bytes(double bytes);
/// A count with thin grouping: "12,345,678".
std::string format_count(std::uint64_t count);
/// "1 rank", "1,204 ranks": a count and the singular noun of what is counted.
std::string count_of(std::uint64_t count, std::string_view noun);
/// A ratio as percentage with `digits` decimals: "12.3 %".
std::string format_percent(double ratio, int digits = 1);

}  // namespace slackline
