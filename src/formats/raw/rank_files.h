#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "formats/raw/raw_file.h"
#include "parallel/process_group.h"

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

// Records as words, for other processes.

/// Appends their number, then the records.
void append_records(std::span<const Record> records, std::vector<std::int64_t>& words);

/// What has been appended, as another process gets it.
std::span<const std::int64_t> words_of(const Bytes& bytes);

/// Takes off what append_records() has appended. Their arguments stay where they are; their thread
/// is not known.
std::vector<Record> take_records(std::span<const std::int64_t>& words);

/// What the call of that record sends, or gives to a collective; 0 for one that does neither.
std::uint64_t sent_bytes(const Record& record);

}  // namespace slackline::raw
