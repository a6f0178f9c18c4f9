#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "calls/clock_correction.h"

namespace slackline {

/// Bytes of memory that a command takes at its peak for each call of the trace, measured on a halo
/// exchange of 16 ranks (test/memory_need compares them with what the commands take today).
/// Programs with other calls may need more: the check refuses what certainly does not fit.
namespace bytes_per_call {
inline constexpr std::uint32_t kRead = 72;  ///< of any command: the trace itself
inline constexpr std::uint32_t kHotspots = 88;
inline constexpr std::uint32_t kQuery = 72;
inline constexpr std::uint32_t kEfficiency = 86;
inline constexpr std::uint32_t kMonitor = 115;
inline constexpr std::uint32_t kCriticalPath = 128;
inline constexpr std::uint32_t kWrittenGraph = 160;  ///< beside kCriticalPath
inline constexpr std::uint32_t kWaitStates = 117;
inline constexpr std::uint32_t kSensitivity = 168;
inline constexpr std::uint32_t kTolerance = 163;
inline constexpr std::uint32_t kPlace = 165;
inline constexpr std::uint32_t kPredict = 187;
inline constexpr std::uint32_t kReport = 250;       ///< the first screen
inline constexpr std::uint32_t kWholeReport = 300;  ///< all sections
inline constexpr std::uint32_t kWhatif = 576;
inline constexpr std::uint32_t kAdvise = 506;
inline constexpr std::uint32_t kGains = 553;
}  // namespace bytes_per_call

/// How a trace is read.
struct ReadingOptions {
  std::uint32_t bytes_per_call = bytes_per_call::kRead;
  bool fix_clocks = false;   ///< corrects the clocks of a measured run wherever calls run back
  bool keep_clocks = false;  ///< never corrects them
  std::string memory{};      ///< that the command may take, "8GiB"; empty: what is available
  /// Told the number of calls, as OpenOptions::calls_known is, if they may be read.
  std::function<void(std::uint64_t)> calls_known{};

  /// `otherwise`: where nothing was asked for.
  ClockPolicy clock_policy(ClockPolicy otherwise) const {
    if (fix_clocks) return ClockPolicy::always;
    return keep_clocks ? ClockPolicy::as_read : otherwise;
  }
};

}  // namespace slackline
