#include "formats/raw/rank_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "formats/raw/findings.h"

namespace slackline::raw {
namespace {

struct ReadRegion {
  ParallelRegion region;
  std::vector<LocationTime> times;
  RegionLoss loss;
};

/// Where the threads begin in the arguments.
std::size_t team_at(const slk_raw_header& header) {
  constexpr std::uint32_t kKnowsLosses = 11;
  return header.version < kKnowsLosses ? 1 : SLK_PARALLEL_TEAM_AT;
}

bool is_runtime(const std::string& module) {
  return is_openmp_runtime(module) || file_name(module).starts_with("libslackline_");
}

FrameId program_frame(const CallTree& tree, FrameId frame) {
  while (frame != 0 && is_runtime(tree.location(frame).module)) frame = tree.parent(frame);
  return frame;
}

/// All that a record says is of its length at most; else it is damaged.
bool is_plausible(const Record& record, const slk_raw_header& header) {
  const slk_record& head = record.head;
  constexpr std::size_t kMostThreads = 1 << 16;
  const std::size_t n = record.args.size();
  const std::size_t first = team_at(header);
  const bool whole = n >= first + 2 && (n - first) % 2 == 0 && n <= 2 * kMostThreads;
  if (!whole || head.request == 0) return false;
  if (!plausible_time(header, head.begin_ns)) return false;
  if (!plausible_time(header, head.begin_ns - head.bytes)) return false;
  const auto span = static_cast<std::int64_t>(head.bytes);
  if (record.args[0] < 0 || record.args[0] > span) return false;
  const std::int64_t length = record.args[0];
  for (std::size_t i = 1; i < first; ++i) {
    if (record.args[i] < 0 || record.args[i] > length) return false;
  }
  for (std::size_t i = first; i < n; i += 2) {
    const std::int64_t busy = record.args[i];
    const std::int64_t waiting = record.args[i + 1];
    if (busy < 0 || busy > length || waiting < 0 || waiting > length - busy) return false;
  }
  return true;
}

void note_unrecorded(const RankFiles& rank, Findings& findings) {
  const slk_raw_header& h = rank.header();
  const auto add = [&](const FindingKind& kind, std::uint32_t count) {
    if (count > 0) findings.add(kind, fmt::format("rank {}", h.rank), count);
  };
  add(kNestedRegions, h.nested_regions);
  add(kForeignRegions, h.foreign_regions);
  add(kLostRegions, h.lost_regions);
  if (h.openmp == SLK_OPENMP_NONE && h.openmp_threads > 0) {
    findings.add(kOpenMPNotObserved,
                 fmt::format("rank {}: {} OpenMP threads", h.rank, h.openmp_threads));
  }
}

}  // namespace

RegionsRead read_parallel_regions(const RankFiles& rank, const CallFrames& frames,
                                  const CallTree& tree, const ClockMap& clock, std::int64_t zero_ns,
                                  const RankCalls& calls, Findings& findings) {
  note_unrecorded(rank, findings);
  const auto time = [&](std::uint64_t local) {
    return clock(static_cast<std::int64_t>(local)) - zero_ns;
  };
  std::vector<ReadRegion> read;
  for (const Place place : rank.order) {
    const Record record = rank.at(place);
    const slk_record& head = record.head;
    if (head.op != SLK_REC_PARALLEL) continue;
    if (place.file != 0 || !is_plausible(record, rank.header())) {
      findings.add(kDamagedRecord, fmt::format("rank {}: parallel region", rank.header().rank));
      continue;
    }
    ReadRegion r;
    r.region.begin_ns = time(head.begin_ns - head.bytes);
    r.region.end_ns = time(head.begin_ns);
    r.region.length_ns = record.args[0];
    r.region.instances = head.request;
    r.region.frame = program_frame(tree, frames.of(place.file, head.path));
    r.region.before_call = static_cast<std::uint32_t>(calls.first_from(r.region.end_ns));
    r.loss = {r.region.before_call, r.region.begin_ns, r.region.end_ns};
    const std::size_t first = team_at(rank.header());
    if (first > 1) {
      r.loss.blocked_ns = record.args[1];
      r.loss.no_processor_ns = record.args[2];
    }
    for (std::size_t i = first; i < record.args.size(); i += 2) {
      r.times.push_back({record.args[i], record.args[i + 1]});
    }
    read.push_back(std::move(r));
  }
  std::ranges::stable_sort(read, {}, [](const ReadRegion& r) { return r.region.end_ns; });
  RegionsRead result;
  for (const ReadRegion& r : read) {
    result.regions.append(r.region, r.times);
    result.losses.push_back(r.loss);
  }
  result.regions.shrink();
  return result;
}

}  // namespace slackline::raw
