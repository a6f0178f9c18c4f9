#include "calibration/piecewise_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"

namespace slackline {
namespace {

/// The standard deviation of a median over that of one value, times the root of their number.
constexpr double kMedian = 1.2533;
/// Clocks tick in steps, so values may agree by chance; no point counts for more than this allows.
constexpr double kLeastRelative = 0.003;
constexpr double kLeastNs = 0.01;
/// Nor for less, however much its values scatter, as between processes: a line far from the median
/// would say that messages of that size cost something else.
constexpr double kMostRelative = 0.012;
constexpr std::size_t kNeighbours = 4;  // on each side, over which the scatter is smoothed

/// Every size's values in ascending order, so that a replicate's are, too, without sorting.
class SortedSamples {
 public:
  explicit SortedSamples(const SampleTable& samples)
      : sizes_(samples.sizes), rounds_(samples.rounds.size()), values_(sizes_.size()) {
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      for (std::size_t round = 0; round < rounds_; ++round) {
        const double value = samples.rounds[round][i];
        if (!std::isnan(value)) values_[i].push_back({value, round});
      }
      std::ranges::sort(values_[i], {}, &Sample::value);
    }
  }

  /// Takes each round as often as it was picked; once if none was.
  std::vector<WeightedPoint> points(const std::vector<std::size_t>& picked) const;

 private:
  struct Sample {
    double value;
    std::size_t round;
  };

  const std::vector<double>& sizes_;
  std::size_t rounds_;
  std::vector<std::vector<Sample>> values_;
};

/// The scatter of one value relative to it, as the neighbourhood has it.
std::vector<double> smoothed_scatter(const std::vector<Location>& locations) {
  std::vector<double> relative;
  for (const Location& l : locations) {
    relative.push_back(l.deviation / std::max(std::abs(l.centre), 1e-300));
  }
  std::vector<double> scatter;
  std::vector<double> near;
  for (std::size_t i = 0; i < locations.size(); ++i) {
    const std::size_t first = i - std::min(i, kNeighbours);
    const std::size_t end = std::min(locations.size(), i + kNeighbours + 1);
    near.assign(relative.begin() + static_cast<std::ptrdiff_t>(first),
                relative.begin() + static_cast<std::ptrdiff_t>(end));
    std::sort(near.begin(), near.end());
    scatter.push_back(0.5 * (near[(near.size() - 1) / 2] + near[near.size() / 2]));
  }
  return scatter;
}

/// Through the points of `segment`, by their own deviations alone.
AffineFunction line_of(std::span<const WeightedPoint> points, const LineSegment& segment) {
  return fit_line(points.subspan(segment.first, segment.end - segment.first));
}

/// How each value of the fit came out in every replicate.
struct Replicates {
  std::vector<std::vector<double>> offsets, slopes;  // by segment
  std::vector<std::vector<double>> before, behind;   // by breakpoint
};

void add_replicate(Replicates& all, const std::vector<WeightedPoint>& points,
                   const std::vector<LineSegment>& lines, const std::vector<LineSegment>& breaks) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const AffineFunction line = line_of(points, lines[i]);
    all.offsets[i].push_back(line.offset);
    all.slopes[i].push_back(line.slope);
  }
  if (breaks.size() != lines.size()) return;
  for (std::size_t i = 1; i < breaks.size(); ++i) {
    all.before[i - 1].push_back(points[breaks[i].first - 1].x);
    all.behind[i - 1].push_back(points[breaks[i].first].x);
  }
}

/// Between the last size before the change and the first one behind it, in most replicates.
Breakpoint breakpoint(const std::vector<WeightedPoint>& points, std::size_t first,
                      const std::vector<double>& before, const std::vector<double>& behind) {
  const double low = with_interval(points[first - 1].x, before).low;
  const double high = with_interval(points[first].x, behind).high;
  return {points[first].x, low, high};
}

PiecewiseFit assemble(const std::vector<WeightedPoint>& points,
                      const std::vector<LineSegment>& lines, const Replicates& replicates) {
  PiecewiseFit fit{points, {}, {}};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const LineSegment& s = lines[i];
    const AffineFunction line = line_of(points, s);
    fit.segments.push_back({points[s.first].x, points[s.end - 1].x,
                            with_interval(line.offset, replicates.offsets[i]),
                            with_interval(line.slope, replicates.slopes[i])});
    if (i == 0) continue;
    fit.breakpoints.push_back(
        breakpoint(points, s.first, replicates.before[i - 1], replicates.behind[i - 1]));
  }
  return fit;
}

std::vector<WeightedPoint> SortedSamples::points(const std::vector<std::size_t>& picked) const {
  std::vector<std::size_t> times(rounds_, picked.empty() ? 1 : 0);
  for (const std::size_t round : picked) ++times[round];
  std::vector<double> sizes;
  std::vector<Location> locations;
  std::vector<double> drawn((picked.empty() ? rounds_ : picked.size()) + 2);
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    std::size_t count = 0;
    for (const Sample& s : values_[i]) {
      // Most rounds are drawn up to twice: without a branch that cannot be predicted.
      drawn[count] = drawn[count + 1] = s.value;
      const std::size_t end = count + times[s.round];
      for (count += 2; count < end; ++count) drawn[count] = s.value;
      count = end;
    }
    const Location location = location_of_sorted(std::span(drawn).first(count));
    if (location.kept == 0) continue;
    sizes.push_back(sizes_[i]);
    locations.push_back(location);
  }
  const std::vector<double> scatter = smoothed_scatter(locations);
  std::vector<WeightedPoint> points;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Location& l = locations[i];
    const double relative = kMedian * scatter[i] / std::sqrt(static_cast<double>(l.kept));
    const double deviation =
        std::clamp(relative, kLeastRelative, kMostRelative) * std::abs(l.centre);
    points.push_back({sizes[i], l.centre, std::max(deviation, kLeastNs)});
  }
  return points;
}

}  // namespace

std::vector<WeightedPoint> points_of(const SampleTable& samples,
                                     const std::vector<std::size_t>& picked) {
  return SortedSamples(samples).points(picked);
}

std::vector<std::vector<std::size_t>> bootstrap_rounds(const SampleTable& samples,
                                                       std::size_t replicates, std::uint64_t seed) {
  std::vector<std::size_t> begins = samples.processes;
  if (begins.empty()) begins = {0};
  const std::size_t processes = begins.size();
  begins.push_back(samples.rounds.size());
  expects(begins[0] < begins[1], "rounds to draw from");
  ResamplingIndices indices(seed);
  std::vector<std::vector<std::size_t>> drawn(replicates);
  for (auto& replicate : drawn) {
    for (std::size_t i = 0; i < processes; ++i) {
      const std::size_t process = processes == 1 ? 0 : indices.next(processes);
      const std::size_t rounds = begins[process + 1] - begins[process];
      for (std::size_t k = 0; k < rounds; ++k) {
        replicate.push_back(begins[process] + indices.next(rounds));
      }
    }
  }
  return drawn;
}

const FittedSegment& PiecewiseFit::segment_at(double size) const {
  expects(!segments.empty(), "a fit with segments");
  std::size_t i = 0;
  while (i < breakpoints.size() && size >= breakpoints[i].value) ++i;
  return segments[i];
}

double PiecewiseFit::at(double size) const {
  const FittedSegment& s = segment_at(size);
  return s.offset.value + s.slope.value * size;
}

PiecewiseFit fit_piecewise(const SampleTable& samples, const PiecewiseOptions& options) {
  if (samples.empty()) return {};
  const SortedSamples sorted(samples);
  const std::vector<WeightedPoint> points = sorted.points({});
  if (points.empty()) return {};
  const std::vector<LineSegment> lines = find_segments(points, options.segmentation);
  Replicates replicates;
  replicates.offsets.resize(lines.size());
  replicates.slopes.resize(lines.size());
  replicates.before.resize(lines.size());
  replicates.behind.resize(lines.size());
  const std::vector<std::vector<std::size_t>> rounds =
      bootstrap_rounds(samples, options.replicates, options.seed);
  struct Drawn {
    std::vector<WeightedPoint> points;
    std::vector<LineSegment> breaks;
  };
  std::vector<Drawn> drawn(rounds.size());
  parallel_for(rounds.size(), [&](std::size_t i) {
    drawn[i].points = sorted.points(rounds[i]);
    drawn[i].breaks =
        lines.size() > 1 ? split_into(drawn[i].points, lines.size(), options.segmentation) : lines;
  });
  for (const Drawn& d : drawn) {
    if (d.points.size() != points.size()) continue;  // a size that was hardly ever measured
    add_replicate(replicates, d.points, lines, d.breaks);
  }
  return assemble(points, lines, replicates);
}

}  // namespace slackline
