// Change points of many series at once.
//
// The model: each series is constant between its changes, maybe on a steady trend, plus noise
// (series_trend.cc); each is fitted alone (optimal_levels.cc).
//
// The penalty. Without a change, the gain of splitting at one of n steps in one of s series is the
// square of a standard normal variable (in units of the noise's variance), and the largest of all
// of them exceeds 2 log(n s) rarely: Schwarz' criterion for change points (Yao, Stat. Probab. Lett.
// 6, 1988) with a union bound over the series, so that thousands of ranks yield no more false
// changes than one. Noise of real runs has heavier tails than the normal one, hence a factor of 3
// and not of 2. The test of this folder measures precision and recall that result.
//
// A change may concern one rank of thousands, or all a little. A joint penalised fit of all series
// would drown the former, so that each series is segmented alone (the averages over the ranks are
// series, too) and the union of the changes is made consistent: each border moves to where the
// gains of all series that see it are largest together, and borders that no series needs, given
// their neighbours, go, the weakest first. This takes back the borders that different series put at
// slightly different steps.

#include "analysis/phases/level_changes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "analysis/phases/prepared_series.h"
#include "base/parallel.h"
#include "base/statistics.h"

namespace slackline {
namespace {

constexpr double kPenalty = 3;  // times the variance and the logarithm
constexpr std::size_t kLevelRounds = 4;
constexpr std::size_t kSampled = 64;  // series of a group
constexpr double kChance = 2;         // standard deviations of a correlation, by root of values

/// Borders of all series that change.
class JointBorders {
 public:
  JointBorders(std::vector<PreparedSeries> series, std::vector<std::size_t> borders,
               std::size_t steps, double penalty)
      : series_(std::move(series)), borders_(std::move(borders)), steps_(steps), penalty_(penalty) {
    std::ranges::sort(borders_);
    borders_.erase(std::ranges::unique(borders_).begin(), borders_.end());
  }

  std::vector<LevelChange> optimised() {
    drop_weak();
    for (std::size_t round = 0; round < kLevelRounds; ++round) {
      const std::vector<std::size_t> before = borders_;
      for (std::size_t i = 0; i < borders_.size(); ++i) borders_[i] = best_place(i);
      join_close();
      drop_weak();
      if (borders_ == before) break;
    }
    std::vector<LevelChange> changes;
    for (std::size_t i = 0; i < borders_.size(); ++i) changes.push_back(change_at(i));
    return changes;
  }

 private:
  std::size_t before(std::size_t i) const { return i == 0 ? 0 : borders_[i - 1]; }
  std::size_t after(std::size_t i) const {
    return i + 1 < borders_.size() ? borders_[i + 1] : steps_;
  }
  double strength(std::size_t i) const {
    double most = 0;
    for (const PreparedSeries& s : series_) {
      most = std::max(most, s.gain(before(i), borders_[i], after(i)));
    }
    return most;
  }

  void drop_weak() {
    std::vector<double> strengths;
    for (std::size_t i = 0; i < borders_.size(); ++i) strengths.push_back(strength(i));
    while (!borders_.empty()) {
      // Borders that make a level too short are weaker than any other.
      std::size_t weakest = 0;
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < borders_.size(); ++i) {
        const bool crowded =
            borders_[i] - before(i) < kShortestLevel || after(i) - borders_[i] < kShortestLevel;
        const double value = crowded ? strengths[i] - 1e300 : strengths[i];
        if (value < least) {
          least = value;
          weakest = i;
        }
      }
      if (least >= penalty_) return;
      borders_.erase(borders_.begin() + static_cast<std::ptrdiff_t>(weakest));
      strengths.erase(strengths.begin() + static_cast<std::ptrdiff_t>(weakest));
      if (weakest > 0) strengths[weakest - 1] = strength(weakest - 1);
      if (weakest < borders_.size()) strengths[weakest] = strength(weakest);
    }
  }

  /// Two borders where a change was seen too early and too late become one.
  void join_close() {
    for (std::size_t i = 0; i + 1 < borders_.size();) {
      const std::size_t first = borders_[i];
      const std::size_t second = borders_[i + 1];
      if (second - first > reach()) {
        ++i;
        continue;
      }
      borders_.erase(borders_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      borders_[i] = best_place(i);
      const auto loses = [&](const PreparedSeries& s) {
        const std::size_t from = before(i);
        const std::size_t to = after(i);
        const double one = s.explained(from, borders_[i]) + s.explained(borders_[i], to);
        const double two =
            s.explained(from, first) + s.explained(first, second) + s.explained(second, to);
        return two - one >= penalty_;
      };
      if (!std::ranges::any_of(series_, loses)) continue;
      borders_[i] = first;
      borders_.insert(borders_.begin() + static_cast<std::ptrdiff_t>(i) + 1, second);
      ++i;
    }
  }

  std::size_t reach() const {
    return std::max<std::size_t>(8, 2 * ((steps_ + kMostSteps - 1) / kMostSteps));
  }

  std::size_t best_place(std::size_t i) const {
    const std::size_t from = before(i) + kShortestLevel;
    const std::size_t to = after(i) - kShortestLevel;
    std::size_t best = borders_[i];
    double most = -1;
    for (std::size_t at = std::max(from, borders_[i] - std::min(borders_[i], reach()));
         at <= std::min(to, borders_[i] + reach()); ++at) {
      double sum = 0;
      for (const PreparedSeries& s : series_) {
        const double gain = s.gain(before(i), at, after(i));
        if (gain > penalty_ / 2) sum += gain;
      }
      if (sum > most) {
        most = sum;
        best = at;
      }
    }
    return best;
  }

  LevelChange change_at(std::size_t i) const {
    LevelChange change{.at = borders_[i]};
    double most = -1;
    for (const PreparedSeries& s : series_) {
      const double gain = s.gain(before(i), borders_[i], after(i));
      if (gain <= most) continue;
      most = gain;
      change.series = s.index();
      change.before = s.level(before(i), borders_[i]);
      change.after = s.level(borders_[i], after(i));
      change.confidence = gain / (gain + penalty_);
    }
    return change;
  }

  std::vector<PreparedSeries> series_;
  std::vector<std::size_t> borders_;
  std::size_t steps_;
  double penalty_;
};

/// The correlation of noise that is common to the series of a group: the median of some of them,
/// which is known better than that of one; 0 where it may be chance.
double common_correlation(const std::vector<StepSeries>& series, std::size_t group) {
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (series[i].group == group && !series[i].bursty) members.push_back(i);
  }
  if (members.empty()) return 0;
  const std::size_t stride = (members.size() + kSampled - 1) / kSampled;
  std::vector<double> found((members.size() + stride - 1) / stride);
  parallel_for(found.size(), [&](std::size_t i) {
    found[i] = PreparedSeries(series[members[i * stride]], 0).correlation();
  });
  const auto values =
      static_cast<double>(found.size()) * static_cast<double>(series.front().values.size());
  const double common = median(std::move(found));
  return common < kChance / std::sqrt(values) ? 0 : common;
}

}  // namespace

LevelAnalysis level_changes(const std::vector<StepSeries>& series) {
  if (series.empty() || series.front().values.size() < 2 * kShortestLevel) return {};
  const std::size_t steps = series.front().values.size();
  const double penalty = kPenalty * (std::log(static_cast<double>(steps)) +
                                     std::log(static_cast<double>(series.size())));
  std::vector<std::optional<PreparedSeries>> fitted(series.size());
  std::vector<std::vector<std::size_t>> borders(series.size());
  std::map<std::size_t, double> correlation;  // by group
  for (const StepSeries& s : series) {
    const auto [known, added] = correlation.try_emplace(s.group, 0);
    if (added) known->second = common_correlation(series, s.group);
  }
  parallel_for(series.size(), [&](std::size_t i) {
    PreparedSeries prepared(series[i], i);
    const double common = correlation.at(series[i].group);
    if (common > 0 && !series[i].bursty) prepared.assume_correlation(common);
    borders[i] = fit_levels(prepared, penalty);
    if (!borders[i].empty() || prepared.trend().total != 0) fitted[i].emplace(std::move(prepared));
  });
  LevelAnalysis out;
  std::vector<PreparedSeries> changing;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (!fitted[i]) continue;
    if (fitted[i]->trend().total != 0) {
      const std::size_t first = borders[i].empty() ? steps : borders[i].front();
      out.trends.push_back(
          {i, fitted[i]->level(0, first), fitted[i]->level_at(0, first, steps - 1)});
    }
    if (borders[i].empty()) continue;
    changing.push_back(std::move(*fitted[i]));
    all.insert(all.end(), borders[i].begin(), borders[i].end());
  }
  out.changes = JointBorders(std::move(changing), std::move(all), steps, penalty).optimised();
  return out;
}

}  // namespace slackline
