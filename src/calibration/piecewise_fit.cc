#include "calibration/piecewise_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"

namespace slackline {
namespace {

/// The standard deviation of a median over that of one value, times the root of their number.
constexpr double kMedian = 1.2533;
/// Clocks tick in steps, so values may agree by chance; no point counts for more than this allows.
constexpr double kLeastRelative = 0.003;
constexpr double kLeastNs = 0.01;
constexpr std::size_t kNeighbours = 4;  // on each side, over which the scatter is smoothed

std::vector<double> values_of(const SampleTable& samples, std::size_t size,
                              const std::vector<std::size_t>& picked) {
  std::vector<double> values;
  values.reserve(samples.rounds.size());
  if (picked.empty()) {
    for (const auto& round : samples.rounds) values.push_back(round[size]);
  } else {
    for (const std::size_t round : picked) values.push_back(samples.rounds[round][size]);
  }
  return values;
}

/// The scatter of one value relative to it, as the neighbourhood has it.
std::vector<double> smoothed_scatter(const std::vector<Location>& locations) {
  std::vector<double> scatter;
  for (std::size_t i = 0; i < locations.size(); ++i) {
    const std::size_t first = i - std::min(i, kNeighbours);
    const std::size_t end = std::min(locations.size(), i + kNeighbours + 1);
    std::vector<double> near;
    for (std::size_t j = first; j < end; ++j) {
      near.push_back(locations[j].deviation / std::max(std::abs(locations[j].centre), 1e-300));
    }
    scatter.push_back(median(std::move(near)));
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

}  // namespace

std::vector<WeightedPoint> points_of(const SampleTable& samples,
                                     const std::vector<std::size_t>& picked) {
  std::vector<double> sizes;
  std::vector<Location> locations;
  for (std::size_t i = 0; i < samples.sizes.size(); ++i) {
    const Location location = robust_location(values_of(samples, i, picked));
    if (location.kept == 0) continue;
    sizes.push_back(samples.sizes[i]);
    locations.push_back(location);
  }
  const std::vector<double> scatter = smoothed_scatter(locations);
  std::vector<WeightedPoint> points;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Location& l = locations[i];
    const double relative = kMedian * scatter[i] / std::sqrt(static_cast<double>(l.kept));
    const double deviation = std::max(relative, kLeastRelative) * std::abs(l.centre);
    points.push_back({sizes[i], l.centre, std::max(deviation, kLeastNs)});
  }
  return points;
}

std::vector<std::vector<std::size_t>> bootstrap_rounds(std::size_t rounds, std::size_t replicates,
                                                       std::uint64_t seed) {
  expects(rounds > 0, "rounds to draw from");
  ResamplingIndices indices(seed);
  std::vector<std::vector<std::size_t>> drawn(replicates, std::vector<std::size_t>(rounds));
  for (auto& replicate : drawn) {
    for (std::size_t& round : replicate) round = indices.next(rounds);
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
  const std::vector<WeightedPoint> points = points_of(samples);
  const std::vector<LineSegment> lines = find_segments(points, options.segmentation);
  Replicates replicates;
  replicates.offsets.resize(lines.size());
  replicates.slopes.resize(lines.size());
  replicates.before.resize(lines.size());
  replicates.behind.resize(lines.size());
  for (const auto& picked :
       bootstrap_rounds(samples.rounds.size(), options.replicates, options.seed)) {
    const std::vector<WeightedPoint> drawn = points_of(samples, picked);
    if (drawn.size() != points.size()) continue;  // a size that was hardly ever measured
    const bool breaks = lines.size() > 1;
    add_replicate(replicates, drawn, lines,
                  breaks ? split_into(drawn, lines.size(), options.segmentation) : lines);
  }
  return assemble(points, lines, replicates);
}

}  // namespace slackline
