// From an OTF2 archive to a Trace.
//
// The global definitions are read once; then every rank's locations by a reader of the library's
// own, in parallel. What needs all ranks comes last: which collectives without arguments
// (findings.h) all ranks have in common, and which user regions occur at all.

#include "formats/otf2/otf2.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/parallel.h"
#include "formats/findings.h"
#include "formats/otf2/findings.h"
#include "formats/otf2/job.h"
#include "formats/otf2/library.h"
#include "formats/otf2/location_reader.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;
using otf2::Job;
using otf2::RankCallsRead;

constexpr std::string_view kExtension = ".otf2";

// Nonblocking collectives without arguments are on MPI_COMM_WORLD if every rank makes the same
// ones; otherwise on each rank's own MPI_COMM_SELF, where they do no harm.
void resolve_bare_collectives(std::vector<RankCallsRead>& ranks) {
  const auto sequence = [](const RankCallsRead& rank) {
    std::vector<Operation> operations;
    for (const std::uint32_t i : rank.bare) operations.push_back(rank.calls.operation(i));
    return operations;
  };
  if (ranks.empty()) return;
  const auto first = sequence(ranks.front());
  const bool common = std::ranges::all_of(
      ranks, [&](const RankCallsRead& rank) { return sequence(rank) == first; });
  if (common) return;
  for (RankCallsRead& rank : ranks) {
    for (const std::uint32_t i : rank.bare) rank.calls.set_comm(i, kCommSelf);
  }
}

// Region events carry the number of their definition. Of archives of others only those regions
// stay that occur.
void number_regions(const Job& job, TraceBuilder& trace) {
  std::vector<const otf2::Definitions::Region*> by_order(job.definitions.regions.size());
  for (const auto& [ref, region] : job.definitions.regions) by_order[region.order] = &region;
  std::vector<char> used(by_order.size(), job.own ? 1 : 0);
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    for (const RegionEvent& event : trace.calls(r).regions()) used[event.region] = 1;
  }
  std::vector<std::uint32_t> id(by_order.size(), 0);
  for (std::size_t i = 0; i < by_order.size(); ++i) {
    if (by_order[i] == nullptr || used[i] == 0) continue;
    if (by_order[i]->kind == otf2::Definitions::RegionKind::user) {
      id[i] = trace.region_id(by_order[i]->name);
    }
  }
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const auto events = trace.calls(r).regions();
    std::vector<RegionEvent> numbered(events.begin(), events.end());
    for (RegionEvent& event : numbered) event.region = id[event.region];
    trace.calls(r).set_regions(std::move(numbered));
  }
}

// In archives of other tools, only counters that some rank has read are kept.
void hand_counters_over(const Job& job, std::vector<RankCallsRead>& ranks, TraceBuilder& trace) {
  for (std::size_t c = 0; c < job.counters.size(); ++c) {
    const bool read = std::ranges::any_of(ranks, [&](const RankCallsRead& rank) {
      return c < rank.counters.size() && !rank.counters[c].empty();
    });
    if (!read && !job.own) continue;
    const std::size_t which = trace.add_counter(job.counters[c]);
    for (std::int32_t r = 0; r < trace.ranks(); ++r) {
      auto& counters = ranks[static_cast<std::size_t>(r)].counters;
      if (c < counters.size()) trace.calls(r).set_counter(which, std::move(counters[c]));
    }
  }
}

void hand_over(std::vector<RankCallsRead>& ranks, bool own, TraceBuilder& trace) {
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    RankCallsRead& rank = ranks[static_cast<std::size_t>(r)];
    trace.findings().merge(rank.findings);
    RankInfo& info = trace.rank_info(r);
    info.present = rank.present;
    // A recording of a part of the run, without MPI_Init, lacks no MPI_Finalize.
    info.finalized = rank.finalized || (!own && !rank.initialized);
    if (!rank.present) trace.findings().add(kMissingRanks, fmt::format("rank {}", r));
    if (rank.present && !info.finalized) {
      trace.findings().add(kNotFinalized, fmt::format("rank {}", r));
    }
    trace.calls(r) = std::move(rank.calls);
  }
}

}  // namespace

std::optional<fs::path> find_otf2_anchor(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) {
    if (path.extension() == kExtension) return path;
    return std::nullopt;
  }
  std::optional<fs::path> found;
  for (const auto& entry : fs::directory_iterator(path, ignored)) {
    if (entry.path().extension() != kExtension || !entry.is_regular_file()) continue;
    if (found) return std::nullopt;
    found = entry.path();
  }
  return found;
}

std::vector<fs::path> otf2_files(const fs::path& anchor) {
  std::error_code ignored;
  std::vector<fs::path> files{anchor};
  const fs::path definitions = fs::path(anchor).replace_extension(".def");
  if (fs::is_regular_file(definitions, ignored)) files.push_back(definitions);
  const fs::path folder = fs::path(anchor).replace_extension();
  const auto options = fs::directory_options::skip_permission_denied;
  for (auto at = fs::directory_iterator(folder, options, ignored); at != fs::directory_iterator();
       at.increment(ignored)) {
    if (at->is_regular_file(ignored)) files.push_back(at->path());
  }
  return files;
}

Trace read_otf2(const fs::path& anchor, SendRecords* sends) {
  const otf2::QuietLibrary quiet;
  Job job = otf2::describe_job(otf2::read_definitions(anchor));
  if (job.ranks.empty()) {
    throw Error(fmt::format("cannot read '{}' as a trace", anchor.string()),
                "the archive defines no process",
                "Check that the .def file is next to it and complete.");
  }
  TraceBuilder trace = otf2::make_trace(job);
  std::vector<RankCallsRead> ranks(job.ranks.size());
  parallel_for(ranks.size(), [&](std::size_t r) {
    ranks[r] = otf2::merge_locations(
        otf2::read_rank_events(anchor, job, trace, static_cast<std::int32_t>(r)));
  });
  resolve_bare_collectives(ranks);
  if (sends != nullptr) {
    for (RankCallsRead& rank : ranks)
      sends->after_begin_ns.push_back(std::move(rank.sent_after_ns));
  }
  hand_over(ranks, job.own, trace);
  hand_counters_over(job, ranks, trace);
  number_regions(job, trace);
  return std::move(trace).build();
}

}  // namespace slackline
