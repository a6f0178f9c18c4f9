// What changes from iteration to iteration. The changes are looked for in what a rank does by
// itself: computation and the communication that it pays for. Waiting is left out at first: it
// follows the cause with a delay that differs from rank to rank (where only neighbours communicate,
// a delay travels through the ranks as an idle wave), and each arrival would be a change of its
// own.

#include "analysis/phases/loop_changes.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "analysis/phases/level_changes.h"
#include "analysis/phases/prepared_series.h"
#include "base/statistics.h"

namespace slackline {
namespace {

// Least changes that matter, of an iteration's length.
constexpr double kOfMean = 0.05;       // the mean of all ranks
constexpr double kOfOneRank = 0.06;    // computation of one rank
constexpr double kOfOnesCalls = 0.10;  // communication of one rank
constexpr double kOfWaiting = 0.20;    // of the mean of all ranks; also without a processor
constexpr double kLacking = 0.02;  // of the time outside of MPI: MPI's times are the machine's, too
constexpr std::size_t kBeside = 64;  // iterations on either side that show what a change changed
constexpr std::size_t kAroundOutlier = 15;  // iterations on either side that show the usual length
constexpr double kOutlier = 1.5;            // times the usual length
constexpr double kOutlierSigmas = 6;

using TimesColumn = std::vector<double> IterationTimes::*;

bool is_bursty(PhaseMetric metric) {
  return metric == PhaseMetric::waiting || metric == PhaseMetric::processors;
}

std::vector<double> mean_per_iteration(const std::vector<IterationTimes>& times, TimesColumn column,
                                       std::size_t count, PhaseMetric metric) {
  std::vector<double> mean(count);
  std::size_t ranks = 0;
  for (const IterationTimes& t : times) {
    if ((t.*column).empty()) continue;
    ++ranks;
    const std::vector<double> values = is_bursty(metric) ? t.*column : without_outliers(t.*column);
    for (std::size_t k = 0; k < count; ++k) mean[k] += values[k];
  }
  for (double& m : mean) m /= static_cast<double>(std::max<std::size_t>(1, ranks));
  return mean;
}

/// Series with what they are of.
struct NamedSeries {
  std::vector<StepSeries> series;
  std::vector<IterationChange> names;

  void add(std::vector<double> values, double least, PhaseMetric metric, std::int32_t rank) {
    const bool bursty = is_bursty(metric);
    series.push_back({.values = std::move(values),
                      .least_change = std::max(1.0, least),
                      .by_ratio = !bursty,
                      .bursty = bursty,
                      .group = static_cast<std::size_t>(metric)});
    names.push_back({.metric = metric, .rank = rank});
  }
  void add_changes(LoopChanges& to) const {
    const LevelAnalysis found = level_changes(series);
    for (const LevelChange& c : found.changes) {
      IterationChange change = names[c.series];
      change.iteration = c.at;
      change.before_ns = c.before;
      change.after_ns = c.after;
      change.confidence = c.confidence;
      to.changes.push_back(change);
    }
    for (const LevelTrend& t : found.trends) {
      to.trends.push_back({.metric = names[t.series].metric,
                           .rank = names[t.series].rank,
                           .first_ns = t.first,
                           .last_ns = t.last});
    }
  }
};

double sum_of(const std::vector<IterationTimes>& times, TimesColumn column) {
  double sum = 0;
  for (const IterationTimes& t : times) {
    sum = std::accumulate((t.*column).begin(), (t.*column).end(), sum);
  }
  return sum;
}

/// The median computation of the rank that computes longest.
double longest_computation(const std::vector<IterationTimes>& times) {
  double longest = 0;
  for (const IterationTimes& t : times) {
    longest = std::max(longest, median(std::vector<double>(t.computation)));
  }
  return longest;
}

/// Causes first; effects where there are none.
void find_levels(const IterationLoop& loop, const std::vector<IterationTimes>& times,
                 LoopChanges& out) {
  const double lacked = sum_of(times, &IterationTimes::without_processor);
  out.off_processor_share =
      lacked / std::max(1.0, lacked + sum_of(times, &IterationTimes::computation));
  out.times_in_mpi_count = out.off_processor_share < kLacking;
  const double period = out.times_in_mpi_count ? loop.period_ns() : longest_computation(times);
  NamedSeries causes;
  const auto add_mean = [&](NamedSeries& to, TimesColumn column, double least, PhaseMetric metric) {
    to.add(mean_per_iteration(times, column, loop.count, metric), least * period, metric, -1);
  };
  add_mean(causes, &IterationTimes::computation, kOfMean, PhaseMetric::computation);
  if (lacked > 0) {
    add_mean(causes, &IterationTimes::without_processor, kOfWaiting, PhaseMetric::processors);
  }
  if (sum_of(times, &IterationTimes::idle_threads) > 0) {
    add_mean(causes, &IterationTimes::idle_threads, kOfMean, PhaseMetric::threads);
  }
  if (out.times_in_mpi_count) {
    add_mean(causes, &IterationTimes::communication, kOfMean, PhaseMetric::communication);
  }
  for (std::size_t r = 0; r < times.size(); ++r) {
    if (times[r].computation.empty()) continue;
    const auto rank = static_cast<std::int32_t>(r);
    causes.add(times[r].computation, kOfOneRank * period, PhaseMetric::computation, rank);
    if (!out.times_in_mpi_count) continue;
    causes.add(times[r].communication, kOfOnesCalls * period, PhaseMetric::communication, rank);
  }
  causes.add_changes(out);
  if (!out.changes.empty() || !out.trends.empty() || !out.times_in_mpi_count) return;
  NamedSeries effects;
  add_mean(effects, &IterationTimes::waiting, kOfWaiting, PhaseMetric::waiting);
  effects.add_changes(out);
}

TimesColumn column_of(PhaseMetric metric) {
  switch (metric) {
    case PhaseMetric::communication:
      return &IterationTimes::communication;
    case PhaseMetric::waiting:
      return &IterationTimes::waiting;
    case PhaseMetric::processors:
      return &IterationTimes::without_processor;
    case PhaseMetric::threads:
      return &IterationTimes::idle_threads;
    default:
      return &IterationTimes::computation;
  }
}

double mean_between(const std::vector<double>& values, std::size_t from, std::size_t to) {
  double sum = 0;
  for (std::size_t k = from; k < to; ++k) sum += values[k];
  return sum / static_cast<double>(to - from);
}

/// A change is one rank's where that rank makes up most of the change of the mean and no other one
/// changes half as much, else all ranks'.
void attribute(const IterationLoop& loop, const std::vector<IterationTimes>& times,
               std::vector<IterationChange>& changes) {
  for (std::size_t i = 0; i < changes.size(); ++i) {
    IterationChange& change = changes[i];
    const std::size_t from = std::max(i == 0 ? 0 : changes[i - 1].iteration,
                                      change.iteration - std::min(change.iteration, kBeside));
    const std::size_t to = std::min(i + 1 < changes.size() ? changes[i + 1].iteration : loop.count,
                                    change.iteration + kBeside);
    const TimesColumn column = column_of(change.metric);
    if (change.metric == PhaseMetric::waiting) continue;
    IterationChange all{.before_ns = 0, .after_ns = 0};
    IterationChange most;
    double second = 0;  // largest change of another rank
    double ranks = 0;
    for (std::size_t r = 0; r < times.size(); ++r) {
      const std::vector<double>& values = times[r].*column;
      if (values.empty()) continue;
      const double before = mean_between(values, from, change.iteration);
      const double after = mean_between(values, change.iteration, to);
      ++ranks;
      all.before_ns += before;
      all.after_ns += after;
      const double size = std::abs(after - before);
      if (most.rank < 0 || size > std::abs(most.after_ns - most.before_ns)) {
        second = most.rank < 0 ? 0 : std::abs(most.after_ns - most.before_ns);
        most.rank = static_cast<std::int32_t>(r);
        most.before_ns = before;
        most.after_ns = after;
      } else {
        second = std::max(second, size);
      }
    }
    const double largest = std::abs(most.after_ns - most.before_ns);
    const bool alone =
        2 * largest >= std::abs(all.after_ns - all.before_ns) && largest >= 2 * second;
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

/// The median around iteration k, within its phase.
double usual_length(const std::vector<double>& lengths, std::size_t begin, std::size_t k,
                    std::size_t end) {
  const std::size_t width = std::min(end - begin, 2 * kAroundOutlier + 1);
  const std::size_t from = std::clamp(k - std::min(k, kAroundOutlier), begin, end - width);
  const auto first = lengths.begin() + static_cast<std::ptrdiff_t>(from);
  return std::max(1.0,
                  median(std::vector<double>(first, first + static_cast<std::ptrdiff_t>(width))));
}

std::vector<OutlierIteration> outliers_of(const std::vector<IterationChange>& changes,
                                          const std::vector<double>& lengths) {
  std::vector<std::size_t> borders{0};
  for (const IterationChange& c : changes) borders.push_back(c.iteration);
  borders.push_back(lengths.size());
  std::vector<double> ratios(lengths.size());  // logarithms
  std::vector<double> apart;
  for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
    for (std::size_t k = borders[i]; k < borders[i + 1]; ++k) {
      const double usual = usual_length(lengths, borders[i], k, borders[i + 1]);
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

/// One trend a metric: that of one rank where its growth makes up most of all ranks' and no other
/// one grows half as much, else the mean's.
std::vector<IterationTrend> main_trends(const std::vector<IterationTrend>& trends,
                                        std::size_t ranks, std::size_t iterations) {
  std::vector<IterationTrend> main;
  for (const PhaseMetric metric : {PhaseMetric::computation, PhaseMetric::communication,
                                   PhaseMetric::processors, PhaseMetric::threads}) {
    std::optional<IterationTrend> mean;
    std::optional<IterationTrend> rank;
    double second = 0;  // largest trend of another rank
    const auto change = [](const IterationTrend& t) { return std::abs(t.last_ns - t.first_ns); };
    for (const IterationTrend& t : trends) {
      if (t.metric != metric) continue;
      if (t.rank < 0) {
        mean = t;
      } else if (!rank || change(t) > change(*rank)) {
        second = rank ? change(*rank) : 0;
        rank = t;
      } else {
        second = std::max(second, change(t));
      }
    }
    if (!mean && !rank) continue;
    const bool alone = !mean || (rank && change(*rank) >= 2 * second &&
                                 2 * change(*rank) >= static_cast<double>(ranks) * change(*mean));
    IterationTrend& trend = main.emplace_back(alone ? *rank : *mean);
    trend.growth = (trend.last_ns - trend.first_ns) / std::max(1.0, trend.first_ns) /
                   static_cast<double>(std::max<std::size_t>(2, iterations) - 1);
  }
  return main;
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
    case PhaseMetric::processors:
      return "processors";
    case PhaseMetric::threads:
      return "threads";
  }
  return "structure";
}

LoopChanges loop_changes(const IterationLoop& loop, const std::vector<IterationTimes>& times) {
  LoopChanges out;
  find_levels(loop, times, out);
  attribute(loop, times, out.changes);
  add_structure(loop, out.changes);
  const auto ranks = static_cast<std::size_t>(
      std::ranges::count_if(times, [](const IterationTimes& t) { return !t.length.empty(); }));
  out.trends = main_trends(out.trends, ranks, loop.count);
  std::vector<double> lengths(loop.count);
  for (const IterationTimes& t : times) {
    for (std::size_t k = 0; k < t.length.size(); ++k) lengths[k] += t.length[k];
  }
  out.outliers = outliers_of(out.changes, lengths);
  return out;
}

}  // namespace slackline
