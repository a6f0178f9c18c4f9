// Change points of many series at once.
//
// The model: each series is constant between its changes, plus noise. One series is segmented by
// the least sum of squared errors plus a penalty for each change: the exact optimum by dynamic
// programming (Jackson et al., IEEE Signal Process. Lett. 12, 2005), pruned as PELT does (Killick,
// Fearnhead and Eckley, J. Am. Stat. Assoc. 107, 2012).
//
// The penalty. Without a change, the gain of splitting at one of n steps in one of s series is the
// square of a standard normal variable (in units of the noise's variance), and the largest of all
// of them exceeds 2 log(n s) rarely: Schwarz' criterion for change points (Yao, Stat. Probab. Lett.
// 6, 1988) with a union bound over the series, so that thousands of ranks yield no more false
// changes than one. Noise of real runs has heavier tails than the normal one, hence a factor of 3
// and not of 2. The test of this folder measures precision and recall that result.
//
// The noise is the median absolute difference of neighbouring steps (or their upper fifth, where
// that tells of more), which the changes themselves hardly disturb; medians over larger distances
// tell noise that drifts (Ma and Genton, J. Time Ser. Anal. 21, 2000): what they exceed the first
// one by is correlation, by which n steps are worth fewer. Lengths of time are compared by ratio,
// as their noise grows with them: the logarithm is taken, of the value plus an offset that hides
// ratios of nothing.
//
// Outliers, single steps that take long, are no levels. Each value is clipped to the median of the
// seven around it and three deviations (Hampel's filter), which leaves the edges of levels of four
// and more steps in place.
//
// A change may concern one rank of thousands, or all a little. A joint penalised fit of all series
// would drown the former, so that each series is segmented alone (the averages over the ranks are
// series, too) and the union of the changes is made consistent: each border moves to where the
// gains of all series that see it are largest together, and borders that no series needs, given
// their neighbours, go, the weakest first. This takes back the borders that different series put at
// slightly different steps.
//
// Most series have no change. A change with a gain of p shows as a gain of p/2 between two windows
// of equal length on both sides, of one of geometrically many lengths (the idea of seeded binary
// segmentation: Kovacs et al., Biometrika 110, 2023); only series in which one does are segmented.

#include "analysis/phases/level_changes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "analysis/phases/median.h"
#include "base/parallel.h"

namespace slackline {
namespace {

constexpr double kPenalty = 3;  // times the variance and the logarithm
constexpr double kMedianToSigma =
    kSigmaOfMedian / 1.4142135623730951;                            // of differences of two values
constexpr double kHighToSigma = 1 / (1.2816 * 1.4142135623730951);  // of the upper fifth
constexpr double kLeastSigma = 0.25;                                // of the least change
constexpr double kClip = 3;                                         // deviations
constexpr std::size_t kAround = 3;                                  // on either side
constexpr double kCorrelated = 0.3;                                 // less may be chance
constexpr double kMostCorrelated = 0.8;
constexpr double kUncertainty = 4;
constexpr std::size_t kFarthest = 16;     // of the steps: differences over more see the changes
constexpr std::size_t kMostSteps = 2048;  // that are segmented; more are averaged
constexpr std::size_t kRounds = 4;
constexpr std::array<std::size_t, 3> kDistances{2, 4, 8};

/// A series made ready: outliers clipped, ratios as differences, in units of the noise.
class PreparedSeries {
 public:
  PreparedSeries(const StepSeries& series, std::size_t index) : series_(&series), index_(index) {
    std::vector<double> values = scaled();
    clip(values, std::max(sigma_at(values, 1), floor_));
    const double inverse = 1 / deviation(values);
    sum_.resize(values.size() + 1);
    for (std::size_t i = 0; i < values.size(); ++i) {
      sum_[i + 1] = sum_[i] + values[i] * inverse;
    }
    sigma_ = 1 / inverse;
  }

  std::size_t index() const { return index_; }
  std::size_t size() const { return sum_.size() - 1; }
  double mean(std::size_t from, std::size_t to) const {
    return (sum_[to] - sum_[from]) / static_cast<double>(to - from);
  }
  /// In the series' unit.
  double level(std::size_t from, std::size_t to) const {
    const double y = mean(from, to) * sigma_;
    return series_->by_ratio ? std::exp(y) - offset_ : y;
  }
  /// What a change at `at` takes from the squared error of [from, to); 0 where it is too small to
  /// matter.
  double gain(std::size_t from, std::size_t at, std::size_t to) const {
    const auto left = static_cast<double>(at - from);
    const auto right = static_cast<double>(to - at);
    const double d = mean(from, at) - mean(at, to);
    const double gain = d * d * left * right / (left + right);
    if (gain < 1 || std::abs(level(from, at) - level(at, to)) < series_->least_change) return 0;
    return gain;
  }
  /// Minus the squared error of a level, but for a constant.
  double explained(std::size_t from, std::size_t to) const {
    const double s = sum_[to] - sum_[from];
    return s * s / static_cast<double>(to - from);
  }
  /// May there be a change with that gain?
  bool may_change(double penalty) const {
    for (std::size_t m = kShortestLevel; 2 * m <= size(); m += std::max<std::size_t>(1, m / 3)) {
      const std::size_t stride = std::max<std::size_t>(1, m / 6);
      for (std::size_t i = m; i + m <= size(); i += stride) {
        const double d = mean(i - m, i) - mean(i, i + m);
        if (d * d * static_cast<double>(m) > penalty * 0.8) return true;  // 2 * (1/2), less a grid
      }
    }
    return false;
  }

 private:
  std::vector<double> scaled() {
    floor_ = kLeastSigma * series_->least_change;
    if (!series_->by_ratio) return series_->values;
    std::vector<double> values = series_->values;
    const double usual = std::max(0.0, median(values));
    offset_ = 2 * series_->least_change;
    floor_ = kLeastSigma * series_->least_change / (usual + offset_);
    values = series_->values;
    for (double& v : values) v = std::log(std::max(0.0, v) + offset_);
    return values;
  }
  static std::vector<double> differences(const std::vector<double>& values, std::size_t distance) {
    std::vector<double> steps;
    for (std::size_t i = distance; i < values.size(); ++i) {
      steps.push_back(std::abs(values[i] - values[i - distance]));
    }
    return steps;
  }
  static double sigma_at(const std::vector<double>& values, std::size_t distance) {
    return median(differences(values, distance)) * kMedianToSigma;
  }
  /// Where values are few different ones (rounds of a solver), the median misses the spread.
  static double high_sigma(const std::vector<double>& values) {
    std::vector<double> steps = differences(values, 1);
    const auto high = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() * 4 / 5);
    std::ranges::nth_element(steps, high);
    return *high * kHighToSigma;
  }
  static void clip(std::vector<double>& values, double sigma) {
    const std::vector<double> raw = values;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      const std::size_t from = i < kAround ? 0 : i - kAround;
      const std::size_t to = std::min(raw.size(), i + kAround + 1);
      std::vector<double> around(raw.begin() + static_cast<std::ptrdiff_t>(from),
                                 raw.begin() + static_cast<std::ptrdiff_t>(to));
      const double middle = median(around);
      values[i] = std::clamp(raw[i], middle - kClip * sigma, middle + kClip * sigma);
    }
  }
  /// The noise, larger where it is correlated and where few values leave it uncertain.
  double deviation(const std::vector<double>& values) const {
    const double near = sigma_at(values, 1);
    double far = near;
    for (const std::size_t d : kDistances) {
      if (kFarthest * d <= values.size()) far = std::max(far, sigma_at(values, d));
    }
    const double sigma = std::max({near, high_sigma(values), floor_}) *
                         (1 + kUncertainty / static_cast<double>(values.size()));
    if (far <= std::max(near, floor_)) return sigma;
    const double ratio = std::max(near, floor_) / far;
    const double correlation = std::min(kMostCorrelated, 1 - ratio * ratio);
    if (correlation < kCorrelated) return sigma;
    return std::max(sigma, far) * std::sqrt((1 + correlation) / (1 - correlation));
  }

  const StepSeries* series_;
  std::size_t index_;
  std::vector<double> sum_;  // in units of sigma_
  double sigma_ = 1;
  double floor_ = 0;
  double offset_ = 0;
};

/// PELT over blocks of steps.
std::vector<std::size_t> optimal_borders(const PreparedSeries& series, double penalty) {
  const std::size_t n = series.size();
  const std::size_t block = (n + kMostSteps - 1) / kMostSteps;
  const std::size_t shortest = (kShortestLevel + block - 1) / block;
  const std::size_t blocks = (n + block - 1) / block;
  const auto step = [&](std::size_t b) { return std::min(n, b * block); };
  std::vector<double> best(blocks + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> last(blocks + 1, 0);
  std::vector<std::size_t> starts;
  best[0] = -penalty;
  for (std::size_t to = shortest; to <= blocks; ++to) {
    const std::size_t start = to - shortest;
    if (start == 0 || start >= shortest) starts.push_back(start);
    std::vector<double> costs(starts.size());
    for (std::size_t i = 0; i < starts.size(); ++i) {
      costs[i] = best[starts[i]] - series.explained(step(starts[i]), step(to));
      if (costs[i] + penalty < best[to]) {
        best[to] = costs[i] + penalty;
        last[to] = starts[i];
      }
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < starts.size(); ++i) {
      if (costs[i] <= best[to]) starts[kept++] = starts[i];
    }
    starts.resize(kept);
  }
  std::vector<std::size_t> borders;
  for (std::size_t at = last[blocks]; at > 0; at = last[at]) borders.push_back(step(at));
  return borders;
}

/// Borders of all series that change.
class JointBorders {
 public:
  JointBorders(std::vector<PreparedSeries> series, std::vector<std::size_t> borders,
               std::size_t steps, double penalty)
      : series_(std::move(series)), borders_(std::move(borders)), steps_(steps), penalty_(penalty) {
    std::ranges::sort(borders_);
    borders_.erase(std::ranges::unique(borders_).begin(), borders_.end());
  }

  std::vector<LevelChange> settle() {
    drop_weak();
    for (std::size_t round = 0; round < kRounds; ++round) {
      const std::vector<std::size_t> before = borders_;
      for (std::size_t i = 0; i < borders_.size(); ++i) borders_[i] = best_place(i);
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

  std::size_t best_place(std::size_t i) const {
    const std::size_t from = before(i) + kShortestLevel;
    const std::size_t to = after(i) - kShortestLevel;
    std::size_t best = borders_[i];
    double most = -1;
    const std::size_t reach =
        std::max<std::size_t>(8, 2 * ((steps_ + kMostSteps - 1) / kMostSteps));
    for (std::size_t at = std::max(from, borders_[i] < reach ? 0 : borders_[i] - reach);
         at <= std::min(to, borders_[i] + reach); ++at) {
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

}  // namespace

std::vector<LevelChange> level_changes(const std::vector<StepSeries>& series) {
  if (series.empty() || series.front().values.size() < 2 * kShortestLevel) return {};
  const std::size_t steps = series.front().values.size();
  const double penalty = kPenalty * (std::log(static_cast<double>(steps)) +
                                     std::log(static_cast<double>(series.size())));
  std::vector<std::optional<PreparedSeries>> changing(series.size());
  std::vector<std::vector<std::size_t>> borders(series.size());
  parallel_for(series.size(), [&](std::size_t i) {
    PreparedSeries prepared(series[i], i);
    if (!prepared.may_change(penalty)) return;
    borders[i] = optimal_borders(prepared, penalty);
    if (!borders[i].empty()) changing[i].emplace(std::move(prepared));
  });
  std::vector<PreparedSeries> kept;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (!changing[i]) continue;
    kept.push_back(std::move(*changing[i]));
    all.insert(all.end(), borders[i].begin(), borders[i].end());
  }
  return JointBorders(std::move(kept), std::move(all), steps, penalty).settle();
}

}  // namespace slackline
