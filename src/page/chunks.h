#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "page/levels.h"

namespace slackline {

/// The calls of a run in chunks of about 32,000, in order of time. Columns as in
/// doc/formats/page.md.
class ChunkWriter {
 public:
  /// `first_run`: null if this is the first run, else that one's times: then times alone are
  /// written, gaps as differences to that run's gaps. Refers to both.
  explicit ChunkWriter(const RunRows& rows, const RunTimes* first_run = nullptr);

  std::size_t chunks() const { return borders_ns_.size() - 1; }
  /// One chunk. Thread-safe.
  Timeline::Chunk chunk(std::size_t which, TickScale ticks) const;
  /// All of them, in parallel. `made`: those that chunk() has given with these ticks, by number.
  std::vector<Timeline::Chunk> all(TickScale ticks,
                                   std::map<std::size_t, Timeline::Chunk> made) const;

 private:
  RunRows rows_;
  const RunTimes* first_run_;
  std::vector<std::int64_t> borders_ns_;
};

}  // namespace slackline
