// The longest path through an activity is the longest way to its end, which is the time when it
// ended, plus the longest way from there to the end of the run (path_slack.h). So the next path is
// found by looking for the largest such sum beside the paths that are known, and followed back as
// the critical path is, and forward by what path_slack remembers, or along the critical path from
// the first last entry on it: of ways that are equally long, it is the one that is known.

#include "analysis/paths/path_slack.h"

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

namespace slackline {
namespace {

auto place(const RunStep& s) {
  return std::pair(s.call, s.kind);
}

class NearPathSearch {
 public:
  NearPathSearch(const Activities& run, const PathSlack& slack, std::span<const RunStep> critical)
      : run_(run), slack_(slack), used_(run.trace()), critical_(slack.ahead_ns.size()) {
    use(critical);
    // In order of time, so each rank's are in order of place.
    for (const RunStep& s : critical) critical_[static_cast<std::size_t>(s.rank)].push_back(s);
    for (std::size_t i = 0; i < critical.size(); ++i) {
      const CallSource& source = critical[i].source;
      if (source.is_last_entry()) from_entry_[source.index] = critical.subspan(i);
    }
  }

  std::optional<NearPath> next() {
    Found best;
    for (std::int32_t r = 0; r < run_.trace().ranks(); ++r) {
      const auto& longest = slack_.longest_ns[static_cast<std::size_t>(r)];
      for (std::size_t block = 0; block < longest.size(); ++block) {
        if (longest[block] > best.length_ns) look_for_longer(r, block, best);
      }
    }
    if (best.length_ns < 0) return std::nullopt;
    return through(best.rank, best.call, best.length_ns);
  }

 private:
  struct Found {
    std::int64_t length_ns = -1;
    std::int32_t rank = -1;
    CallIndex call = 0;
  };

  void look_for_longer(std::int32_t rank, std::size_t block, Found& best) const {
    const auto& ahead = slack_.ahead_ns[static_cast<std::size_t>(rank)];
    const std::size_t first = block * PathSlack::kCallsOfBlock;
    const std::size_t end = std::min(ahead.size(), first + PathSlack::kCallsOfBlock);
    for (std::size_t i = first; i < end; ++i) {
      if (ahead[i] < 0) continue;
      const auto call = static_cast<CallIndex>(i);
      const std::int64_t length = run_.enter_ns(rank, call) + ahead[i];
      if (length <= best.length_ns || run_.gap_ns(rank, call) == 0) continue;
      if (!used_.contains(rank, call)) best = {length, rank, call};
    }
  }

  void use(std::span<const RunStep> steps) {
    for (const RunStep& s : steps) {
      if (s.kind == RunStep::Kind::computation) used_.insert(s.rank, s.call);
    }
  }

  NearPath through(std::int32_t rank, CallIndex call, std::int64_t length) {
    NearPath path;
    path.length_ns = length;
    path.slack_ns = run_.makespan_ns() - length;
    path.rank = rank;
    path.call = call;
    path.by_rank.resize(static_cast<std::size_t>(run_.trace().ranks()));
    std::vector<RunStep> steps;
    steps.push_back({RunStep::Kind::computation, rank, call, run_.gap_ns(rank, call), {}});
    if (call > 0) walk_back(run_, rank, call - 1, steps);
    walk_forward(rank, call, steps);
    for (const RunStep& s : steps) {
      path.by_rank[static_cast<std::size_t>(s.rank)] += s.ns;
      if (is_critical(s)) path.shared_ns += s.ns;
    }
    use(steps);
    return path;
  }

  // From a call's begin to the end of the run.
  void walk_forward(std::int32_t rank, CallIndex call, std::vector<RunStep>& steps) {
    for (;;) {
      const PathSlack::Next next = slack_.next_of(rank, call);
      const CallSource from{rank, call};
      CallSource source = from;
      if (next.rank >= 0) {
        rank = next.rank;
        call = next.call;
      }
      run_.look(rank, call, work_);
      if (next.rank >= 0) source = source_of(from);
      if (const auto known = from_entry_.find(source.index);
          source.is_last_entry() && known != from_entry_.end()) {
        steps.insert(steps.end(), known->second.begin(), known->second.end());
        return;
      }
      steps.push_back({RunStep::Kind::call, rank, call, work_.work_ns(), source});
      if (call + 1 == run_.calls(rank)) break;
      ++call;
      steps.push_back({RunStep::Kind::computation, rank, call, run_.gap_ns(rank, call), {}});
    }
    const std::int64_t tail = run_.stop_ns(rank) - run_.leave_ns(rank, call);
    steps.push_back({RunStep::Kind::tail, rank, call, std::max<std::int64_t>(0, tail), {}});
  }

  // As what the call that has been looked at knows a begin it waited for.
  CallSource source_of(const CallSource& from) const {
    CallSource last_entry = from;
    for (const CallWork::Wait& w : work_.waits) {
      if (w.source == from) return from;
      if (w.source.is_last_entry()) last_entry = w.source;
    }
    return last_entry;
  }

  bool is_critical(const RunStep& s) const {
    const auto& of_rank = critical_[static_cast<std::size_t>(s.rank)];
    const auto known = std::ranges::lower_bound(of_rank, place(s), {}, place);
    return known != of_rank.end() && place(*known) == place(s) && known->source == s.source;
  }

  const Activities& run_;
  const PathSlack& slack_;
  CallSet used_;  // calls whose computation before them lies on a known path
  std::vector<std::vector<RunStep>> critical_;  // per rank
  std::unordered_map<std::uint32_t, std::span<const RunStep>>
      from_entry_;  // the critical path's steps from each last entry on it
  CallWork work_;
};

}  // namespace

std::vector<NearPath> near_paths(const Activities& run, const PathSlack& slack,
                                 const std::vector<RunStep>& critical, std::size_t count) {
  std::vector<NearPath> paths;
  NearPathSearch search(run, slack, critical);
  while (paths.size() < count) {
    std::optional<NearPath> next = search.next();
    if (!next) break;
    paths.push_back(std::move(*next));
  }
  return paths;
}

}  // namespace slackline
