#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/picture.h"
#include "report/unit.h"

namespace slackline {

/// Rows of ranks over time. All times in ticks from the start of the run, unless they say ns. The
/// columns of the blobs are those of doc/formats/page.md.
struct Timeline final : Picture {
  /// Buckets [from, from + count) of a level, of all ranks.
  struct Slice {
    std::uint64_t from = 0;
    std::uint64_t count = 0;
    Blob blob;
  };
  struct Level {
    std::uint64_t width = 1;  ///< ticks
    std::uint64_t buckets = 0;
    std::vector<Slice> slices;
  };
  /// Calls that overlap [from, to).
  struct Chunk {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    std::uint64_t calls = 0;
    Blob blob;
  };
  struct Events {
    std::uint64_t count = 0;
    Blob blob;
  };
  struct Run {
    std::string id;
    std::string name;
    std::uint64_t span = 0;
    std::vector<std::uint64_t> begins;  ///< per rank
    std::vector<std::uint64_t> ends;
    std::vector<Level> levels;  ///< finest first
    std::vector<Chunk> chunks;  ///< in order of time; none when the calls are not inside
    std::optional<Events> path;
    std::optional<Events> waits;
  };
  struct Phase {
    double from_ns;
    double to_ns;
    std::string name;
    std::string kind;
    std::int64_t phase;  ///< phases of one number behave alike
    std::string explanation;
  };
  /// What a strip's quantity is in an interval that tables have it for.
  struct Known {
    double from_ns;
    double to_ns;
    double value;
  };
  /// One value each `width_ns`.
  struct Strip {
    std::string name;
    double from_ns;
    double width_ns;
    std::vector<double> values;  ///< ratios
    std::string explanation;
    std::string run;             ///< id of the run that it is of
    std::vector<Known> known{};  ///< first the analysed interval, then phases
  };

  /// Amounts by rank and window of the first run, from `from_ns` on, `width_ns` a window.
  struct Measure {
    std::string name;
    Unit unit = Unit::count;  ///< ns: of time
    std::string explanation;
    double from_ns = 0;
    double width_ns = 0;
    std::uint64_t windows = 0;
    Blob blob;
  };

  /// Ranks [first, second] that belong together.
  struct Group {
    std::string name;
    std::vector<std::pair<std::int32_t, std::int32_t>> ranks;
  };
  struct Grouping {
    std::string name;  ///< what the groups are: "host"
    std::vector<Group> groups;
  };

  /// A thread or a stream of a rank.
  struct Row {
    std::string name;
    std::int32_t rank;
    bool stream;  ///< of the GPU
  };

  Json json(BlobList& blobs) const override;

  std::string id = "timeline";
  std::string title;
  std::string beside;  ///< id of the time line whose view this one follows; empty: none
  std::string note;
  std::uint64_t tick_ns = 1;
  std::uint64_t span = 0;
  std::int32_t ranks = 0;  ///< number of rows
  std::vector<Row> rows;   ///< empty: row i is rank i
  std::uint64_t calls = 0;
  bool complete = true;
  std::vector<std::string> operations;
  std::vector<std::string> classes;
  std::vector<std::string> regions;
  bool functions = false;  ///< whether regions are functions, which change with the calls
  std::vector<std::string> patterns;
  std::vector<Run> runs;
  std::vector<Phase> phases;
  std::vector<Strip> strips;
  std::vector<Measure> measures;
  bool pauses = false;   ///< whether chunks tell when rows did not compute between calls
  bool threads = false;  ///< whether calls tell which are of other threads than the main one
  bool ipc = false;      ///< whether calls tell the instructions per cycle of the time before them
  std::vector<Grouping> groupings;
};

}  // namespace slackline
