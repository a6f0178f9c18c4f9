#pragma once

#include <cstdint>
#include <vector>

#include "calls/call_matching.h"
#include "page/levels.h"

namespace slackline {

/// The calls of a run in chunks of about 32,000, in order of time. Columns as in
/// doc/formats/page.md.
class ChunkWriter {
 public:
  /// `matching` null: times alone, of a run whose calls another run describes. Refers to both.
  ChunkWriter(const RunRows& rows, const CallMatching* matching);

  std::size_t chunks() const { return borders_ns_.size() - 1; }
  /// One chunk. Thread-safe.
  Timeline::Chunk chunk(std::size_t which, TickScale ticks) const;
  /// All of them, in parallel.
  std::vector<Timeline::Chunk> all(TickScale ticks) const;

 private:
  RunRows rows_;
  const CallMatching* matching_;
  std::vector<std::int64_t> borders_ns_;
};

}  // namespace slackline
