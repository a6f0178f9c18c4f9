#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <vector>

#include "formats/otf2/rank_writer.h"
#include "trace/trace.h"

namespace slackline::otf2 {

struct WrittenLocation {
  std::int32_t rank = 0;
  std::uint16_t thread = 0;
  std::uint64_t events = 0;

  std::uint64_t id() const { return location_id(rank, thread); }
};

/// Ticks are nanoseconds. A Trace's times may be negative, ticks may not.
struct ArchiveTimes {
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;

  /// The tick at the Trace's zero.
  std::uint64_t zero_ticks() const {
    return first_ns < 0 ? static_cast<std::uint64_t>(-first_ns) : 0;
  }
  std::uint64_t first_ticks() const { return zero_ticks() + static_cast<std::uint64_t>(first_ns); }
};

/// Writes global definitions and the archive's properties. Failures are the library's messages.
void write_definitions(OTF2_Archive* archive, const Trace& trace, ArchiveTimes times, Names& names,
                       const std::vector<WrittenLocation>& locations);

}  // namespace slackline::otf2
