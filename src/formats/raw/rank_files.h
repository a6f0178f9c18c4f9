#pragma once

#include <cstdint>
#include <vector>

#include "formats/raw/raw_file.h"

namespace slackline::raw {

/// Where a record of a rank is: which of its files, and which record there.
struct Place {
  std::uint32_t file;
  std::uint32_t record;
};

/// The files of one rank (the first is that of the thread that called MPI_Init), merged by time.
struct RankFiles {
  std::vector<File> files;
  std::vector<File> samples;  ///< the files of samples of some of these threads
  std::vector<Place> order;   ///< of all records, by begin time; those of one file keep their order

  const slk_raw_header& header() const { return files.front().header(); }
  Record at(Place place) const { return files[place.file][place.record]; }
};

/// Fills RankFiles::order.
void merge_threads(RankFiles& rank);

/// The rank's records for whose kind `wanted` holds, by time.
std::vector<Record> records_where(const RankFiles& rank, bool (*wanted)(std::uint8_t op));

}  // namespace slackline::raw
