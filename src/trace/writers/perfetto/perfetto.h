#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/findings.h"
#include "trace/trace.h"

namespace slackline {

/// An arrow between two calls of a Trace.
struct TimelineFlow {
  std::int32_t from_rank;
  std::uint32_t from_call;
  std::int32_t to_rank;
  std::uint32_t to_call;
};

/// A curve beside the ranks (an efficiency over time).
struct TimelineCounter {
  std::string name;
  std::vector<std::pair<std::int64_t, double>> points;  ///< ns, value; in order of time
};

/// What is to be drawn along with a trace.
struct TimelineExtras {
  std::span<const TimelineFlow> flows{};
  std::span<const TimelineCounter> counters{};
};

/// Writes Perfetto's protobuf (doc/formats/perfetto.md): ranks as processes, their threads' MPI
/// calls and user regions as slices. Throws Error when the file cannot be written. Linear.
Findings write_perfetto(const Trace& trace, const std::filesystem::path& path,
                        const TimelineExtras& extras = {});

/// Chrome's JSON of the same, about 150 bytes a call; without flows and counters.
Findings write_chrome_json(const Trace& trace, const std::filesystem::path& path);

/// One line for each call: rank, number, operation, begin and end, and its fields.
Findings write_operations_csv(const Trace& trace, const std::filesystem::path& path);

}  // namespace slackline
