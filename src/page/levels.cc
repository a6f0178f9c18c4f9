// The time line's levels of detail.
//
// The problem: a picture of millions of intervals must not cost more than its pixels. The idea is
// that of mipmaps: the run is cut into buckets of equal width, each knows what fills most of it,
// and each level has buckets twice as wide as those of the level before. A picture takes the level
// whose buckets are about as wide as its pixels.
//
// What fills most of a bucket does not follow from what fills most of its halves, so the times of
// everything in a bucket are handed on, not only the winner. A rank's intervals come in order of
// time, so each level has one open bucket; when it closes, its times go to the level above. So each
// interval costs the finest buckets that it touches, and each bucket the few kinds that it holds.

#include "page/levels.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "base/parallel.h"

namespace slackline {
namespace {

constexpr std::uint64_t kCoarsest = 512;  // buckets of the last level, at most
constexpr std::uint64_t kFewest = 64;
constexpr std::uint64_t kSliceCells = 1 << 18;  // of one blob
constexpr std::uint64_t kFewestInSlice = 64;    // buckets
constexpr std::uint8_t kOutside = 255;          // neither computation nor a call
constexpr std::uint8_t kOtherRegion = 254;
constexpr std::uint64_t kFifteenths = 15;

/// Cells of one level, row by row.
struct Grid {
  std::uint64_t width;
  std::uint64_t buckets;
  std::string kind, share, pattern, region;
};

struct TimeOfCode {
  std::uint32_t code;
  std::uint64_t time;
};
/// What a bucket holds, in order of first appearance.
using Bucket = std::vector<TimeOfCode>;

/// Sums of time by code, over the buckets of all levels. closed(level, bucket, sums) is called for
/// every bucket that got anything: more often than there are calls, hence no std::function.
template <class Closed>
class Sums {
 public:
  Sums(std::size_t levels, std::uint64_t width, Closed closed)
      : shift_(std::countr_zero(width)), open_(levels), closed_(std::move(closed)) {}

  /// [begin, end) in ticks; intervals come in order and do not overlap.
  void add(std::uint64_t begin, std::uint64_t end, std::uint32_t code) {
    while (begin < end) {
      const std::uint64_t bucket = begin >> shift_;
      const std::uint64_t until = std::min(end, (bucket + 1) << shift_);
      put(0, bucket, code, until - begin);
      begin = until;
    }
  }
  void finish() {
    for (std::size_t level = 0; level < open_.size(); ++level) close(level);
  }

 private:
  struct Open {
    std::uint64_t bucket = 0;
    Bucket sums{};
  };

  void put(std::size_t level, std::uint64_t bucket, std::uint32_t code, std::uint64_t time) {
    Open& open = open_[level];
    if (open.bucket != bucket) {
      close(level);
      open.bucket = bucket;
    }
    for (TimeOfCode& sum : open.sums) {
      if (sum.code == code) {
        sum.time += time;
        return;
      }
    }
    open.sums.push_back({code, time});
  }
  void close(std::size_t level) {
    Open& open = open_[level];
    if (open.sums.empty()) return;
    closed_(level, open.bucket, open.sums);
    if (level + 1 < open_.size()) {
      for (const TimeOfCode& e : open.sums) put(level + 1, open.bucket >> 1, e.code, e.time);
    }
    open.sums.clear();
  }

  int shift_;
  std::vector<Open> open_;
  Closed closed_;
};

std::uint32_t winner(const Bucket& sums) {
  return std::ranges::max_element(sums, {}, &TimeOfCode::time)->code;
}

std::uint64_t total(const Bucket& sums) {
  std::uint64_t time = 0;
  for (const TimeOfCode& e : sums) time += e.time;
  return time;
}

/// Anything above nothing is at least one.
std::uint8_t fifteenths(std::uint64_t part, std::uint64_t whole) {
  if (part == 0 || whole == 0) return 0;
  // Most buckets hold one thing, and need no division.
  if (part == whole) return static_cast<std::uint8_t>(kFifteenths);
  const std::uint64_t rounded = (kFifteenths * part + whole / 2) / whole;
  return static_cast<std::uint8_t>(std::clamp<std::uint64_t>(rounded, 1, kFifteenths));
}

/// One rank's row on every level.
class Row {
 public:
  Row(const RunRows& rows, TickScale ticks, std::vector<Grid>& grids, std::size_t rank)
      : rows_(rows), ticks_(ticks), grids_(grids), rank_(rank), times_(rows.times.ranks[rank]) {}

  void fill() {
    fill_kinds();
    if (!rows_.waits.empty() && !rows_.waits[rank_].empty()) fill_waits();
    if (rows_.with_regions) fill_regions();
  }

 private:
  std::size_t cell(std::size_t level, std::uint64_t bucket) const {
    return rank_ * grids_[level].buckets + std::min(bucket, grids_[level].buckets - 1);
  }
  std::uint64_t row_end() const { return ticks_(times_.row_end_ns()); }
  /// The rank's time in a bucket.
  std::uint64_t lived(std::size_t level, std::uint64_t bucket) const {
    const std::uint64_t width = grids_[level].width;
    const std::uint64_t from = std::max(bucket * width, ticks_(times_.row_begin_ns()));
    const std::uint64_t to = std::min((bucket + 1) * width, row_end());
    return to > from ? to - from : 0;
  }

  void fill_kinds() {
    Sums sums(grids_.size(), grids_.front().width,
              [this](std::size_t level, std::uint64_t bucket, const Bucket& in) {
                std::uint64_t computing = 0;
                for (const TimeOfCode& e : in) computing += e.code == 0 ? e.time : 0;
                const std::size_t at = cell(level, bucket);
                grids_[level].kind[at] = static_cast<char>(winner(in));
                const std::uint64_t all = total(in);
                grids_[level].share[at] = static_cast<char>(fifteenths(all - computing, all) << 4);
              });
    std::uint64_t now = ticks_(times_.row_begin_ns());
    for (std::size_t i = 0; i < times_.size(); ++i) {
      const std::uint64_t begin = std::max(now, ticks_(times_.begin_ns(i)));
      const std::uint64_t end = std::max(begin, ticks_(times_.end_ns(i)));
      sums.add(now, begin, 0);
      sums.add(begin, end, rows_.calls.operation(static_cast<std::int32_t>(rank_), i));
      now = end;
    }
    sums.add(now, std::max(now, row_end()), 0);
    sums.finish();
  }

  void fill_waits() {
    Sums sums(grids_.size(), grids_.front().width,
              [this](std::size_t level, std::uint64_t bucket, const Bucket& in) {
                const std::size_t at = cell(level, bucket);
                Grid& grid = grids_[level];
                grid.pattern[at] = static_cast<char>(winner(in));
                const auto high = static_cast<unsigned char>(grid.share[at]);
                grid.share[at] =
                    static_cast<char>(high | fifteenths(total(in), lived(level, bucket)));
              });
    std::uint64_t now = 0;
    for (const WaitState& wait : rows_.waits[rank_]) {
      const std::int64_t begin_ns = times_.begin_ns(wait.call);
      const std::uint64_t begin = std::max(now, ticks_(begin_ns));
      const std::uint64_t end = std::max(begin, ticks_(begin_ns + wait.wait_ns));
      sums.add(begin, end, rows_.codes.pattern(wait.pattern));
      now = end;
    }
    sums.finish();
  }

  void fill_regions() {
    Sums sums(grids_.size(), grids_.front().width,
              [this](std::size_t level, std::uint64_t bucket, const Bucket& in) {
                grids_[level].region[cell(level, bucket)] =
                    static_cast<char>(std::min<std::uint32_t>(winner(in), kOtherRegion));
              });
    const std::vector<PathChange>& changes = rows_.paths[rank_];
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const std::uint64_t to = i + 1 < changes.size() ? ticks_(changes[i + 1].at_ns) : row_end();
      sums.add(ticks_(changes[i].at_ns), to, changes[i].path);
    }
    sums.finish();
  }

  const RunRows& rows_;
  TickScale ticks_;
  std::vector<Grid>& grids_;
  std::size_t rank_;
  const RowTimes& times_;
};

std::vector<Grid> empty_grids(const RunRows& rows, std::uint64_t span, std::uint64_t buckets) {
  std::vector<Grid> grids;
  std::uint64_t width =
      std::bit_ceil(std::max<std::uint64_t>(1, span / std::max<std::uint64_t>(1, buckets)));
  for (;; width *= 2) {
    const std::uint64_t count = std::max<std::uint64_t>(1, (span + width - 1) / width);
    const std::size_t cells = rows.times.ranks.size() * count;
    grids.push_back({width, count, std::string(cells, static_cast<char>(kOutside)),
                     std::string(cells, '\0'), std::string(cells, '\0'),
                     std::string(rows.with_regions ? cells : 0, '\0')});
    if (count <= std::clamp(buckets, kFewest, kCoarsest)) return grids;
  }
}

Blob slice_blob(const Grid& grid, std::size_t ranks, std::uint64_t from, std::uint64_t count) {
  std::string bytes;
  bytes.reserve(4 * ranks * count);
  for (const std::string* column : {&grid.kind, &grid.share, &grid.pattern, &grid.region}) {
    if (column->empty()) continue;
    for (std::size_t r = 0; r < ranks; ++r) bytes.append(*column, r * grid.buckets + from, count);
  }
  return compress(bytes);
}

}  // namespace

std::vector<Timeline::Level> timeline_levels(const RunRows& rows, TickScale ticks,
                                             std::uint64_t buckets) {
  const std::size_t ranks = rows.times.ranks.size();
  std::vector<Grid> grids = empty_grids(rows, ticks(rows.times.span_ns), buckets);
  parallel_for(ranks, [&](std::size_t r) { Row(rows, ticks, grids, r).fill(); });

  std::vector<Timeline::Level> levels;
  std::vector<std::pair<std::size_t, std::size_t>> slices;
  for (const Grid& grid : grids) {
    Timeline::Level level{grid.width, grid.buckets, {}};
    const std::uint64_t most =
        std::max(kFewestInSlice, std::bit_floor(kSliceCells / std::max<std::size_t>(1, ranks)));
    for (std::uint64_t from = 0; from < grid.buckets; from += most) {
      slices.emplace_back(levels.size(), level.slices.size());
      level.slices.push_back({from, std::min(most, grid.buckets - from), {}});
    }
    levels.push_back(std::move(level));
  }
  parallel_for(slices.size(), [&](std::size_t i) {
    const auto [level, at] = slices[i];
    Timeline::Slice& slice = levels[level].slices[at];
    slice.blob = slice_blob(grids[level], ranks, slice.from, slice.count);
  });
  return levels;
}

}  // namespace slackline
