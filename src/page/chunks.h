#pragma once

#include <cstdint>
#include <vector>

#include "calls/call_matching.h"
#include "page/levels.h"

namespace slackline {

/// What the columns of a run's chunks are taken from besides its times.
struct ChunkSource {
  const CallMatching& matching;
  /// Null: this is the first run. Else times alone, gaps as differences to that run's gaps.
  const RunTimes* first_run = nullptr;
};

/// The calls of a run in chunks of about 32,000, in order of time. Columns as in
/// doc/formats/page.md.
class ChunkWriter {
 public:
  /// Refers to both.
  ChunkWriter(const RunRows& rows, const ChunkSource& source);

  std::size_t chunks() const { return borders_ns_.size() - 1; }
  /// One chunk. Thread-safe.
  Timeline::Chunk chunk(std::size_t which, TickScale ticks) const;
  /// All of them, in parallel.
  std::vector<Timeline::Chunk> all(TickScale ticks) const;

 private:
  RunRows rows_;
  ChunkSource source_;
  std::vector<std::int64_t> borders_ns_;
};

}  // namespace slackline
