#include "training/collectives.h"

#include <algorithm>
#include <map>
#include <utility>

#include "training/training_run.h"

// Collectives are taken backwards. What is waited for is kept as intervals of the rank that
// causes it; where a collective in which that rank waited itself is met, the intervals that it
// covers move on to the rank that came last there. Each interval moves through a collective once,
// as those before ended before it.

namespace slackline {
namespace {

/// Waiting that a rank causes, as far as it is traced back.
struct CausedInterval {
  TimeSpan time{};
  std::uint32_t collective = 0;
};

class BackwardWalk {
 public:
  explicit BackwardWalk(const TrainingRun& run) : open_(run.ranks.size()) {
    for (const ProfiledRank& rank : run.ranks) {
      std::vector<TimeSpan> computing;
      for (const GpuActivity& activity : rank.gpu) {
        if (activity.work == GpuWork::computation) computing.push_back(activity.time);
      }
      computing_.push_back(united(std::move(computing)));
    }
  }

  void add(const TrainingCollective& collective, std::uint32_t number) {
    const CollectiveKernel& last = collective.members[collective.straggler];
    for (const CollectiveKernel& member : collective.members) {
      if (member.waiting_ns == 0 || member.rank == last.rank) continue;
      const TimeSpan waiting{member.time.begin_ns, member.time.begin_ns + member.waiting_ns};
      const TimeSpans idle = without({waiting}, clipped(computing_[member.rank], waiting));
      pass_on(member.rank, idle, last.time.begin_ns, last.rank);
    }
    for (const CollectiveKernel& member : collective.members) {
      if (member.waiting_ns == 0) continue;
      open_[last.rank].push_back(
          {{member.time.begin_ns, member.time.begin_ns + member.waiting_ns}, number});
    }
  }

  std::vector<CausedWaiting> finish() {
    for (std::uint32_t rank = 0; rank < open_.size(); ++rank) {
      for (const CausedInterval& caused : open_[rank]) attribute(rank, caused);
    }
    std::vector<CausedWaiting> all;
    for (const auto& [key, time] : attributed_) all.push_back({key.first, key.second, time});
    return all;
  }

 private:
  void attribute(std::uint32_t rank, const CausedInterval& caused) {
    attributed_[{caused.collective, rank}] += caused.time.duration_ns();
  }

  // Nothing that begins after `now` can move any more.
  void pass_on(std::uint32_t from, const TimeSpans& idle, std::int64_t now, std::uint32_t to) {
    std::vector<CausedInterval> kept;
    for (const CausedInterval& caused : open_[from]) {
      if (caused.time.begin_ns >= now) {
        attribute(from, caused);
        continue;
      }
      for (const TimeSpan& part : common({caused.time}, idle)) {
        open_[to].push_back({part, caused.collective});
      }
      for (const TimeSpan& part : without({caused.time}, idle)) {
        kept.push_back({part, caused.collective});
      }
    }
    open_[from] = std::move(kept);
  }

  std::vector<TimeSpans> computing_;               // by rank
  std::vector<std::vector<CausedInterval>> open_;  // by rank
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> attributed_;
};

}  // namespace

std::vector<CausedWaiting> waiting_causes(const TrainingRun& run,
                                          const std::vector<TrainingCollective>& collectives) {
  BackwardWalk walk(run);
  for (std::size_t i = collectives.size(); i-- > 0;) {
    walk.add(collectives[i], static_cast<std::uint32_t>(i));
  }
  return walk.finish();
}

}  // namespace slackline
