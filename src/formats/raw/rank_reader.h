#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/raw/clock_map.h"
#include "formats/raw/communicators.h"
#include "formats/raw/raw_file.h"
#include "trace/trace.h"

namespace slackline::raw {

/// Where a record of a rank is: which of its files, and which record there.
struct Place {
  std::uint32_t file;
  std::uint32_t record;
};

/// The files of one rank (the first is that of the thread that called MPI_Init), merged by time.
struct RankFiles {
  std::vector<File> files;
  std::vector<Place> order;  ///< of all records, by begin time; those of one file keep their order

  const slk_raw_header& header() const { return files.front().header(); }
  Record at(Place place) const { return files[place.file][place.record]; }
};

/// Fills RankFiles::order.
void merge_threads(RankFiles& rank);

/// The rank's records for whose kind `wanted` holds, by time.
std::vector<Record> records_where(const RankFiles& rank, bool (*wanted)(std::uint8_t op));

/// A region event that still names its region by text: the trace's numbers are given serially.
struct NamedRegionEvent {
  std::int64_t time_ns;
  std::string name;
  std::uint32_t before_call;
  bool enter;
};

struct RankResult {
  RankCalls calls;
  std::vector<NamedRegionEvent> regions;
  Findings findings;
};

/// Turns one rank's records into calls: world ranks, global communicators, receives with what they
/// got, times of rank 0's clock minus `zero_ns`. Independent of other ranks.
RankResult read_rank(const RankFiles& rank, const CommViews& views, const Trace& trace,
                     const ClockMap& clock, std::int64_t zero_ns);

}  // namespace slackline::raw
