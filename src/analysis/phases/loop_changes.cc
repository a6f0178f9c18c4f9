// What changes from iteration to iteration. The changes are looked for in what a rank does by
// itself: computation and the communication that it pays for. Waiting is left out at first: it
// follows the cause with a delay that differs from rank to rank (where only neighbours communicate,
// a delay travels through the ranks as an idle wave), and each arrival would be a change of its
// own.

#include "analysis/phases/loop_changes.h"

#include <algorithm>
#include <cmath>

#include "analysis/phases/level_changes.h"
#include "analysis/phases/median.h"

namespace slackline {
namespace {

// Least changes that matter, of an iteration's length.
constexpr double kOfMean = 0.05;       // the mean of all ranks
constexpr double kOfOneRank = 0.06;    // computation of one rank
constexpr double kOfOnesCalls = 0.10;  // communication of one rank
constexpr double kOfWaiting = 0.20;    // of the mean of all ranks
constexpr double kOutlier = 1.5;       // times the usual length
constexpr double kOutlierSigmas = 6;

using TimesColumn = std::vector<double> IterationTimes::*;

std::vector<double> mean_of(const std::vector<IterationTimes>& times, TimesColumn column,
                            std::size_t count) {
  std::vector<double> mean(count);
  std::size_t ranks = 0;
  for (const IterationTimes& t : times) {
    if ((t.*column).empty()) continue;
    ++ranks;
    for (std::size_t k = 0; k < count; ++k) mean[k] += (t.*column)[k];
  }
  for (double& m : mean) m /= static_cast<double>(std::max<std::size_t>(1, ranks));
  return mean;
}

/// Series with what they are of.
struct NamedSeries {
  std::vector<StepSeries> series;
  std::vector<IterationChange> names;

  void add(std::vector<double> values, double least, PhaseMetric metric, std::int32_t rank) {
    series.push_back({.values = std::move(values), .least_change = std::max(1.0, least)});
    names.push_back({.metric = metric, .rank = rank});
  }
  void add_changes(std::vector<IterationChange>& to) const {
    for (const LevelChange& c : level_changes(series)) {
      IterationChange change = names[c.series];
      change.iteration = c.at;
      change.before_ns = c.before;
      change.after_ns = c.after;
      change.confidence = c.confidence;
      to.push_back(change);
    }
  }
};

std::vector<IterationChange> changes_of_level(const IterationLoop& loop,
                                              const std::vector<IterationTimes>& times) {
  const double period = loop.period_ns();
  const auto mean = [&](TimesColumn column) { return mean_of(times, column, loop.count); };
  NamedSeries causes;
  causes.add(mean(&IterationTimes::outside), kOfMean * period, PhaseMetric::computation, -1);
  causes.add(mean(&IterationTimes::communication), kOfMean * period, PhaseMetric::communication,
             -1);
  for (std::size_t r = 0; r < times.size(); ++r) {
    if (times[r].outside.empty()) continue;
    const auto rank = static_cast<std::int32_t>(r);
    causes.add(times[r].outside, kOfOneRank * period, PhaseMetric::computation, rank);
    causes.add(times[r].communication, kOfOnesCalls * period, PhaseMetric::communication, rank);
  }
  std::vector<IterationChange> changes;
  causes.add_changes(changes);
  if (!changes.empty()) return changes;
  NamedSeries effects;
  effects.add(mean(&IterationTimes::waiting), kOfWaiting * period, PhaseMetric::waiting, -1);
  effects.add_changes(changes);
  return changes;
}

double mean_between(const std::vector<double>& values, std::size_t from, std::size_t to) {
  double sum = 0;
  for (std::size_t k = from; k < to; ++k) sum += values[k];
  return sum / static_cast<double>(to - from);
}

/// A change is one rank's where that rank makes up most of the change of the mean, else all ranks'.
void attribute(const IterationLoop& loop, const std::vector<IterationTimes>& times,
               std::vector<IterationChange>& changes) {
  for (std::size_t i = 0; i < changes.size(); ++i) {
    IterationChange& change = changes[i];
    const std::size_t from = i == 0 ? 0 : changes[i - 1].iteration;
    const std::size_t to = i + 1 < changes.size() ? changes[i + 1].iteration : loop.count;
    const TimesColumn column = change.metric == PhaseMetric::computation
                                   ? &IterationTimes::outside
                                   : &IterationTimes::communication;
    if (change.metric == PhaseMetric::waiting) continue;
    IterationChange all{.before_ns = 0, .after_ns = 0};
    IterationChange most;
    double ranks = 0;
    for (std::size_t r = 0; r < times.size(); ++r) {
      const std::vector<double>& values = times[r].*column;
      if (values.empty()) continue;
      const double before = mean_between(values, from, change.iteration);
      const double after = mean_between(values, change.iteration, to);
      ++ranks;
      all.before_ns += before;
      all.after_ns += after;
      if (most.rank < 0 || std::abs(after - before) > std::abs(most.after_ns - most.before_ns)) {
        most.rank = static_cast<std::int32_t>(r);
        most.before_ns = before;
        most.after_ns = after;
      }
    }
    const bool alone =
        2 * std::abs(most.after_ns - most.before_ns) >= std::abs(all.after_ns - all.before_ns);
    change.rank = alone ? most.rank : -1;
    change.before_ns = alone ? most.before_ns : all.before_ns / ranks;
    change.after_ns = alone ? most.after_ns : all.after_ns / ranks;
  }
}

/// Changes of the calls themselves take the place of changes of level beside them.
void add_structure(const IterationLoop& loop, std::vector<IterationChange>& changes) {
  for (const std::size_t at : loop.structure_changes) {
    std::erase_if(changes, [&](const IterationChange& c) {
      return c.iteration + kShortestLevel > at && c.iteration < at + kShortestLevel;
    });
    changes.push_back({.iteration = at});
  }
  std::ranges::sort(changes, {}, &IterationChange::iteration);
}

std::vector<OutlierIteration> outliers_of(const std::vector<IterationChange>& changes,
                                          const std::vector<double>& lengths) {
  std::vector<std::size_t> borders{0};
  for (const IterationChange& c : changes) borders.push_back(c.iteration);
  borders.push_back(lengths.size());
  std::vector<double> ratios(lengths.size());  // logarithms, to the median of the phase
  std::vector<double> apart;
  for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
    const auto at = [&](std::size_t k) { return lengths.begin() + static_cast<std::ptrdiff_t>(k); };
    const double usual =
        std::max(1.0, median(std::vector<double>(at(borders[i]), at(borders[i + 1]))));
    for (std::size_t k = borders[i]; k < borders[i + 1]; ++k) {
      ratios[k] = std::log(std::max(1.0, lengths[k]) / usual);
      apart.push_back(std::abs(ratios[k]));
    }
  }
  const double least =
      std::max(std::log(kOutlier), kOutlierSigmas * kSigmaOfMedian * median(std::move(apart)));
  std::vector<OutlierIteration> outliers;
  for (std::size_t k = 0; k < ratios.size(); ++k) {
    if (ratios[k] > least) outliers.push_back({k, std::exp(ratios[k])});
  }
  return outliers;
}

}  // namespace

std::string_view identifier(PhaseMetric metric) {
  switch (metric) {
    case PhaseMetric::structure:
      return "structure";
    case PhaseMetric::computation:
      return "computation";
    case PhaseMetric::communication:
      return "communication";
    case PhaseMetric::waiting:
      return "waiting";
  }
  return "structure";
}

LoopChanges loop_changes(const IterationLoop& loop, const std::vector<IterationTimes>& times) {
  LoopChanges out;
  out.changes = changes_of_level(loop, times);
  attribute(loop, times, out.changes);
  add_structure(loop, out.changes);
  std::vector<double> lengths(loop.count);
  for (const TimesColumn column :
       {&IterationTimes::outside, &IterationTimes::communication, &IterationTimes::waiting}) {
    const std::vector<double> mean = mean_of(times, column, loop.count);
    for (std::size_t k = 0; k < loop.count; ++k) lengths[k] += mean[k];
  }
  out.outliers = outliers_of(out.changes, lengths);
  return out;
}

}  // namespace slackline
