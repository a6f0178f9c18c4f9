#include "advice/program_profile.h"

#include <algorithm>
#include <numeric>

#include "base/arithmetic.h"
#include "base/parallel.h"
#include "calls/computation_code.h"
#include "calls/program_steps.h"
#include "calls/run_span.h"

namespace slackline {
namespace {

/// One rank's part.
struct RankProfile {
  std::int64_t ns = 0;
  std::vector<std::int64_t> path_ns;
  std::vector<std::int64_t> computing_ns;
  std::map<ProgramProfile::Kind, std::int64_t> kind_ns;
  std::array<OperationUse, kOperationCount> operations{};
};

void add_call(const RankCalls& calls, std::size_t i, bool timed, RankProfile& profile) {
  OperationUse& use = profile.operations[static_cast<std::size_t>(calls.operation(i))];
  ++use.count;
  if (timed) use.time_ns += calls.end_ns(i) - calls.begin_ns(i);
}

/// Sums up a rank's computation.
struct ComputationSums {
  const Trace& trace;
  const CallPaths& paths;
  const ComputationCode& code;
  const std::vector<FrameId>& own_frames;
  std::int32_t rank;
  RankProfile& profile;

  void start(std::int64_t) {}
  void compute(const Computation& c) {
    const RankCalls& calls = trace.calls(rank);
    if (c.before_call >= calls.size()) return;
    const auto add = [&](PathId path, std::int64_t ns) {
      profile.ns += ns;
      profile.path_ns[path] += ns;
      if (!c.blocked) profile.computing_ns[path] += ns;
      profile.kind_ns[{path, calls.operation(c.before_call)}] += ns;
    };
    if (!paths.has_functions()) return add(c.path, c.ns);
    code.split_stretch(rank, c.before_call, c.ns, c.blocked, [&](FrameId frame, std::int64_t ns) {
      add(paths.of_frame(own_frames[frame]), ns);
    });
  }
  void pause(std::int64_t, PauseKind) {}
  void region(const RegionEvent&, PathId) {}
  void call(std::size_t, PathId) {}
};

RankProfile profile_of(const Trace& trace, const CallPaths& paths, const CallPaths& regions,
                       const ComputationCode& code, const std::vector<FrameId>& own_frames,
                       std::int64_t zero_ns, std::int32_t rank) {
  const RankCalls& calls = trace.calls(rank);
  RankProfile profile;
  profile.path_ns.resize(paths.size());
  profile.computing_ns.resize(paths.size());
  ComputationSums sums{trace, paths, code, own_frames, rank, profile};
  walk_program(trace, regions, rank, zero_ns, sums);
  const RankSpan span = rank_span(calls);
  for (std::size_t i = span.first_call; i < span.last_call; ++i) {
    add_call(calls, i, trace.timed(), profile);
  }
  return profile;
}

}  // namespace

std::int64_t ProgramProfile::mean_ns() const {
  if (rank_ns.empty()) return 0;
  return std::accumulate(rank_ns.begin(), rank_ns.end(), std::int64_t{0}) / std::ssize(rank_ns);
}

ProgramProfile program_profile(const Trace& trace, const CallPaths& paths,
                               const ComputationCode& code) {
  const auto ranks = static_cast<std::size_t>(trace.ranks());
  std::vector<RankProfile> parts(ranks);
  const CallPaths regions(trace);
  const std::vector<FrameId> own = own_frames(trace.call_tree());
  const std::int64_t zero_ns = run_span(trace).analysed.begin_ns;
  parallel_for(ranks, [&](std::size_t r) {
    parts[r] = profile_of(trace, paths, regions, code, own, zero_ns, static_cast<std::int32_t>(r));
  });
  ProgramProfile profile;
  profile.computing_ns.resize(paths.size());
  for (std::size_t r = 0; r < ranks; ++r) {
    RankProfile& part = parts[r];
    profile.rank_ns.push_back(part.ns);
    profile.path_ns.push_back(std::move(part.path_ns));
    for (std::size_t p = 0; p < paths.size(); ++p) profile.computing_ns[p] += part.computing_ns[p];
    for (const auto& [kind, ns] : part.kind_ns) {
      std::vector<std::int64_t>& all = profile.kind_ns[kind];
      all.resize(ranks);
      all[r] = ns;
    }
    for (std::size_t o = 0; o < kOperationCount; ++o) {
      OperationUse& use = profile.operations[o];
      use.count += part.operations[o].count;
      use.time_ns += part.operations[o].time_ns;
    }
  }
  return profile;
}

}  // namespace slackline
