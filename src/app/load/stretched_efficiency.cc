#include "app/load/stretched_efficiency.h"

#include <cstddef>
#include <utility>

namespace slackline {
namespace {

/// What the processes have found of their stretches, put together in the first one, in the order of
/// the run; nothing in the others.
EfficiencyPart joined(const std::vector<EfficiencyPart>& own, ProcessGroup& group) {
  std::vector<RankEfficiency> own_ranks;
  std::vector<TimeInterval> own_ends;
  for (const EfficiencyPart& part : own) {
    own_ranks.insert(own_ranks.end(), part.ranks.begin(), part.ranks.end());
    own_ends.push_back(part.ideal);
  }
  const std::vector<RankEfficiency> ranks = gather_in_first(group, own_ranks);
  const std::vector<TimeInterval> ends = gather_in_first(group, own_ends);
  EfficiencyPart whole;
  for (std::size_t s = 0; s < ends.size(); ++s) {
    const std::size_t count = ranks.size() / ends.size();
    const auto first = ranks.begin() + static_cast<std::ptrdiff_t>(s * count);
    EfficiencyPart part{{first, first + static_cast<std::ptrdiff_t>(count)}, ends[s]};
    if (s == 0) {
      whole = std::move(part);
    } else {
      append_part(whole, std::move(part));
    }
  }
  return whole;
}

}  // namespace

bool StretchedEfficiency::add(const LoadedStretch& stretch) {
  const IdealRun ideal = ideal_run(stretch.trace(), stretch.matching(), options_);
  own_.push_back(efficiency_part(stretch.trace(), ideal, run_.span, analysed_, stretch.part()));
  // A rank that is let go on to break a deadlock may leave the stretch before the others.
  return ideal.released == 0;
}

void StretchedEfficiency::finish(ProcessGroup& group) {
  const EfficiencyPart whole = joined(own_, group);
  if (!group.is_first()) return;
  efficiency_ = efficiency_of(whole, run_.trace.job(), run_.span, analysed_);
  efficiency_.name = run_.run.opened.path;
}

}  // namespace slackline
