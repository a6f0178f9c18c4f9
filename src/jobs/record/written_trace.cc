#include "jobs/record/written_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/parallel.h"
#include "formats/native/pieces.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

/// What `pieces` have of some ranks. Their samples are appended; false where anything is damaged.
bool read_back(const NativePieces& pieces, RankRange ranks, TraceBuilder& trace, Samples& samples) {
  for (const std::string& counter : pieces.job().counters()) trace.add_counter(counter);
  std::vector<std::vector<Sample>> of_rank(static_cast<std::size_t>(ranks.end - ranks.first));
  std::atomic<bool> whole = pieces.complete();
  parallel_for(of_rank.size(), [&](std::size_t i) {
    const std::int32_t rank = ranks.first + static_cast<std::int32_t>(i);
    RankCallsBuilder& calls = trace.calls(rank);
    std::vector<RegionEvent> regions;
    const std::uint64_t count = pieces.calls()[static_cast<std::size_t>(rank)];
    bool good = pieces.append_calls(rank, 0, count, calls, regions);
    calls.set_regions(std::move(regions));
    const std::int64_t end = calls.empty() ? calls.start_ns() : calls.end_ns(calls.size() - 1);
    good = good && pieces.read_details(rank, end, calls, of_rank[i]);
    if (!good) whole = false;
  });
  for (std::size_t i = 0; i < of_rank.size(); ++i) {
    if (!of_rank[i].empty()) {
      samples.set(ranks.first + static_cast<std::int32_t>(i), std::move(of_rank[i]));
    }
  }
  samples.interval_ns = pieces.sampling_ns();
  return whole;
}

}  // namespace

void check_written(const RawPart& read, const std::filesystem::path& path) {
  const MappedFile file(path);
  const NativePieces pieces(file.bytes(), path.string());
  TraceBuilder trace = TraceBuilder::without_calls(pieces.job(), true);
  Samples samples;
  if (read_back(pieces, read.own, trace, samples) && same_content(read.trace, trace) &&
      read.samples.same_as(samples)) {
    return;
  }
  throw Error(fmt::format("the finished trace '{}' cannot be used", path.string()),
              "what is read back is not what was recorded",
              "Check the disk, and convert the raw files again.");
}

}  // namespace slackline
