#include "formats/raw/rank_files.h"

#include <algorithm>
#include <limits>

namespace slackline::raw {

void merge_threads(RankFiles& rank) {
  for (std::uint32_t f = 0; f < rank.files.size(); ++f) {
    for (std::uint32_t i = 0; i < rank.files[f].size(); ++i) rank.order.push_back({f, i});
  }
  if (rank.files.size() == 1) return;
  // Records that come before a call inside one file (a communicator's members, what a receive got)
  // have a later time than it. They are given the time of the call after them, so that they stay.
  std::vector<std::vector<std::int64_t>> times(rank.files.size());
  for (std::size_t f = 0; f < rank.files.size(); ++f) {
    const File& file = rank.files[f];
    times[f].resize(file.size());
    std::int64_t next = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = file.size(); i-- > 0;) {
      next = std::min(next, static_cast<std::int64_t>(file[i].head.begin_ns));
      times[f][i] = next;
    }
  }
  std::ranges::stable_sort(rank.order, {}, [&](Place p) { return times[p.file][p.record]; });
}

std::vector<Record> records_where(const RankFiles& rank, bool (*wanted)(std::uint8_t op)) {
  std::vector<Record> found;
  for (const Place place : rank.order) {
    const Record record = rank.at(place);
    if (wanted(record.head.op)) found.push_back(record);
  }
  return found;
}

}  // namespace slackline::raw
