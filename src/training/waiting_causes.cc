#include "training/waiting_causes.h"

#include <algorithm>
#include <map>
#include <utility>

#include "training/intervals.h"

// Collectives are taken backwards. What is waited for is kept as intervals of the rank that is
// blamed; where a collective in which that rank waited itself is met, the intervals that it covers
// move on to the rank that came last there. Each interval moves through a collective once, as those
// before ended before it.

namespace slackline {
namespace {

struct Blame {
  TimeSpan time{};
  std::uint32_t collective = 0;
};

class BlameWalk {
 public:
  explicit BlameWalk(const TrainingRun& run) : open_(run.ranks.size()) {
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
      for (const Blame& blame : open_[rank]) settle(rank, blame);
    }
    std::vector<CausedWaiting> all;
    for (const auto& [key, time] : settled_) all.push_back({key.first, key.second, time});
    return all;
  }

 private:
  void settle(std::uint32_t rank, const Blame& blame) {
    settled_[{blame.collective, rank}] += blame.time.duration_ns();
  }

  // Nothing that begins after `now` can move any more.
  void pass_on(std::uint32_t from, const TimeSpans& idle, std::int64_t now, std::uint32_t to) {
    std::vector<Blame> kept;
    for (const Blame& blame : open_[from]) {
      if (blame.time.begin_ns >= now) {
        settle(from, blame);
        continue;
      }
      for (const TimeSpan& part : common({blame.time}, idle)) {
        open_[to].push_back({part, blame.collective});
      }
      for (const TimeSpan& part : without({blame.time}, idle)) {
        kept.push_back({part, blame.collective});
      }
    }
    open_[from] = std::move(kept);
  }

  std::vector<TimeSpans> computing_;      // by rank
  std::vector<std::vector<Blame>> open_;  // by rank
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> settled_;
};

}  // namespace

std::vector<CausedWaiting> waiting_causes(const TrainingRun& run,
                                          const std::vector<TrainingCollective>& collectives) {
  BlameWalk walk(run);
  for (std::size_t i = collectives.size(); i-- > 0;) {
    walk.add(collectives[i], static_cast<std::uint32_t>(i));
  }
  return walk.finish();
}

}  // namespace slackline
