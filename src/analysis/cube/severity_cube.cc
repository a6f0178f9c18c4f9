#include "analysis/cube/severity_cube.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <utility>

#include "analysis/runs/gap_parts.h"
#include "base/error.h"
#include "base/parallel.h"
#include "calls/run_span.h"

namespace slackline {
namespace {

/// Sums of one rank, by what needs no text.
struct RankSums {
  struct OfCalls {
    double time_ns = 0;
    double calls = 0;
    double bytes = 0;
    std::array<double, kWaitPatterns> wait_ns{};
  };
  std::vector<RankTime> between_calls;  // by path
  std::map<std::pair<PathId, Operation>, OfCalls> calls;
};

std::string path_of_calls(const CallPaths& paths, PathId path, Operation operation) {
  const std::string name = paths.name(path);
  return fmt::format("{}{}{}", name, name.empty() ? "" : "/", mpi_name(operation));
}

class CubeBuilder {
 public:
  CubeBuilder(const Trace& trace, const CallPaths& paths, const WaitStates& waits)
      : trace_(trace), paths_(paths), sums_(static_cast<std::size_t>(trace.ranks())) {
    parallel_for(sums_.size(), [&](std::size_t r) { add_rank(static_cast<std::int32_t>(r)); });
    for (const WaitState& state : waits.states) {
      if (state.effective) add_wait(state);
    }
  }

  SeverityCube build() const {
    SeverityCube cube(trace_.ranks());
    for (std::int32_t rank = 0; rank < trace_.ranks(); ++rank) write_rank(rank, cube);
    return cube;
  }

 private:
  RankSums& sums(std::int32_t rank) { return sums_[static_cast<std::size_t>(rank)]; }

  void add_rank(std::int32_t rank) {
    const RankCalls& calls = trace_.calls(rank);
    RankSums& own = sums(rank);
    own.between_calls.resize(paths_.size());
    const RankSpan span = rank_span(calls);
    for (std::size_t i = span.first_call; i <= span.last_call; ++i) {
      const auto call = static_cast<std::uint32_t>(i);
      visit_gap_parts(paths_, calls, rank, call,
                      [&](PathId path, const RankTime& time) { own.between_calls[path] += time; });
      if (i == span.last_call) break;
      RankSums::OfCalls& sum = own.calls[{paths_.at_call(rank, call), calls.operation(i)}];
      if (calls.thread(i) == 0) {
        sum.time_ns += static_cast<double>(calls.end_ns(i) - calls.begin_ns(i));
      }
      sum.calls += 1;
      sum.bytes += static_cast<double>(calls.bytes(i));
    }
  }

  void add_wait(const WaitState& state) {
    const RankCalls& calls = trace_.calls(state.rank);
    const RankSpan span = rank_span(calls);
    if (state.call < span.first_call || state.call >= span.last_call) return;
    RankSums::OfCalls& sum =
        sums(state.rank)
            .calls[{paths_.at_call(state.rank, state.call), calls.operation(state.call)}];
    sum.time_ns -= static_cast<double>(state.wait_ns);
    sum.wait_ns[static_cast<std::size_t>(state.pattern)] += static_cast<double>(state.wait_ns);
  }

  void write_rank(std::int32_t rank, SeverityCube& cube) const {
    const RankSums& own = sums_[static_cast<std::size_t>(rank)];
    for (PathId path = 0; path < own.between_calls.size(); ++path) {
      const std::string name = paths_.name(path);
      const RankTime& time = own.between_calls[path];
      cube.add({"computation", name}, rank, static_cast<double>(time.compute));
      cube.add({"no_processor", name}, rank, static_cast<double>(time.no_processor));
      cube.add({"blocked", name}, rank, static_cast<double>(time.blocked));
      cube.add({"recording", name}, rank, static_cast<double>(time.recording));
      cube.add({"mpi", name}, rank, static_cast<double>(time.mpi));  // in calls not recorded
    }
    for (const auto& [key, sum] : own.calls) {
      const std::string path = path_of_calls(paths_, key.first, key.second);
      cube.add({"mpi", path}, rank, sum.time_ns);
      cube.add({"calls", path}, rank, sum.calls);
      cube.add({"bytes", path}, rank, sum.bytes);
      for (std::size_t p = 0; p < kWaitPatterns; ++p) {
        const auto pattern = static_cast<WaitPattern>(p);
        cube.add({std::string(identifier(pattern)), path}, rank, sum.wait_ns[p]);
      }
    }
  }

  const Trace& trace_;
  const CallPaths& paths_;
  std::vector<RankSums> sums_;
};

}  // namespace

std::vector<double> SeverityCube::of(const Key& key) const {
  const auto found = severities_.find(key);
  if (found != severities_.end()) return found->second;
  return std::vector<double>(static_cast<std::size_t>(ranks_), 0);
}

double SeverityCube::sum(const Key& key) const {
  const auto found = severities_.find(key);
  if (found == severities_.end()) return 0;
  return std::accumulate(found->second.begin(), found->second.end(), 0.0);
}

void SeverityCube::add(const Key& key, std::int32_t rank, double value) {
  if (value == 0) return;
  std::vector<double>& ranks = severities_[key];
  ranks.resize(static_cast<std::size_t>(ranks_));
  ranks[static_cast<std::size_t>(rank)] += value;
}

SeverityCube severity_cube(const Trace& trace, const CallPaths& paths, const WaitStates& waits) {
  return CubeBuilder(trace, paths, waits).build();
}

SeverityCube mean(const std::vector<SeverityCube>& runs) {
  SeverityCube result(runs.front().ranks());
  for (const SeverityCube& run : runs) {
    if (run.ranks() != result.ranks()) {
      throw Error("cannot take the mean of the runs", "they have different numbers of ranks",
                  "Give runs of one program with equally many ranks.");
    }
    for (const auto& [key, values] : run.severities()) {
      for (std::int32_t rank = 0; rank < run.ranks(); ++rank) {
        result.add(key, rank,
                   values[static_cast<std::size_t>(rank)] / static_cast<double>(runs.size()));
      }
    }
  }
  return result;
}

std::vector<std::string> frames_of(const std::string& call_path) {
  std::vector<std::string> frames;
  for (std::size_t at = 0; !call_path.empty() && at <= call_path.size();) {
    const std::size_t slash = std::min(call_path.find('/', at), call_path.size());
    frames.push_back(call_path.substr(at, slash - at));
    at = slash + 1;
  }
  return frames;
}

std::vector<CallTreeNode> call_tree_of(const SeverityCube& cube) {
  // Lists of frames in alphabetical order stand in preorder.
  std::set<std::vector<std::string>> paths{{}};
  for (const auto& [key, values] : cube.severities()) {
    std::vector<std::string> frames = frames_of(key.call_path);
    while (paths.insert(frames).second) frames.pop_back();
  }
  std::vector<CallTreeNode> nodes;
  for (const std::vector<std::string>& frames : paths) {
    CallTreeNode node{.name = {}, .call_path = {}, .depth = frames.size()};
    if (!frames.empty()) node.name = frames.back();
    for (std::size_t i = 0; i < frames.size(); ++i)
      node.call_path += (i > 0 ? "/" : "") + frames[i];
    nodes.push_back(std::move(node));
  }
  return nodes;
}

}  // namespace slackline
