#include "calibration/smpi_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace slackline {
namespace {

constexpr double kEnvelope = 16;  // bytes that SimGrid adds to a message's on the wire
constexpr double kSecond = 1e9;
constexpr double kFastest = 1e-6;  // ns per byte: a bandwidth that no machine has

/// The line with the least squares among those that fall nowhere and begin at no less than zero;
/// SimGrid knows no others. `shift` is added to the points' x.
AffineFunction nonnegative_line(std::span<const WeightedPoint> points, double shift) {
  std::vector<WeightedPoint> shifted(points.begin(), points.end());
  double weights = 0, y = 0, xx = 0, xy = 0;
  for (WeightedPoint& p : shifted) {
    p.x += shift;
    const double w = 1 / (p.deviation * p.deviation);
    weights += w;
    y += w * p.y;
    xx += w * p.x * p.x;
    xy += w * p.x * p.y;
  }
  const AffineFunction line = fit_line(shifted);
  if (line.slope < 0) return {std::max(0.0, y / weights), 0};
  if (line.offset < 0) return {0, std::max(0.0, xy / xx)};
  return line;
}

std::span<const WeightedPoint> points_in(const PiecewiseFit& fit, const FittedSegment& segment) {
  const auto inside = [&](const WeightedPoint& p) {
    return p.x >= segment.from && p.x <= segment.to;
  };
  const auto first = std::ranges::find_if(fit.points, inside);
  const auto end = std::find_if_not(first, fit.points.end(), inside);
  return {first, end};
}

/// "0:offset:slope;..." in seconds, of the segments that begin below `limit` bytes. SimGrid's
/// segments hold for sizes above their first number.
std::string overheads(const PiecewiseFit& fit, double limit) {
  std::string text;
  for (const FittedSegment& s : fit.segments) {
    if (!text.empty() && s.from > limit) break;
    const AffineFunction line = nonnegative_line(points_in(fit, s), 0);
    text += fmt::format("{}{:.0f}:{:.4g}:{:.4g}", text.empty() ? "" : ";",
                        text.empty() ? 0 : s.from - 1, line.offset / kSecond, line.slope / kSecond);
  }
  return text;
}

/// What the network takes of the one-way time, by size.
std::vector<WeightedPoint> network_points(const LogGPSFit& fit) {
  std::vector<WeightedPoint> points = fit.one_way.points;
  for (WeightedPoint& p : points) {
    if (p.x > fit.eager_bytes.value) continue;
    p.y = std::max(0.0, p.y - fit.send.at(p.x) - fit.receive.at(p.x));
  }
  return points;
}

}  // namespace

SmpiTables smpi_tables(const LogGPSFit& fit) {
  const std::vector<WeightedPoint> points = network_points(fit);
  const std::vector<LineSegment> segments = find_segments(points, {});
  SmpiTables tables;
  std::vector<AffineFunction> lines;
  for (const LineSegment& part : segments) {
    lines.push_back(
        nonnegative_line(std::span(points).subspan(part.first, part.end - part.first), kEnvelope));
    lines.back().slope = std::max(kFastest, lines.back().slope);
  }
  tables.latency_ns = std::max(1.0, fit.latency.value);
  tables.bandwidth_bytes_per_s = kSecond / lines.back().slope;
  std::string latency, bandwidth;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    // Factors are looked up by the size with its envelope.
    const double from = i == 0 ? 0 : points[segments[i].first].x - 1 + kEnvelope;
    const char* separator = i == 0 ? "" : ";";
    latency += fmt::format("{}{:.0f}:{:.6g}", separator, from, lines[i].offset / tables.latency_ns);
    bandwidth +=
        fmt::format("{}{:.0f}:{:.6g}", separator, from, lines.back().slope / lines[i].slope);
  }
  const double eager_below = fit.eager_bytes.value + 1;
  tables.options = {{"smpi/os", overheads(fit.send, fit.eager_bytes.value)},
                    {"smpi/or", overheads(fit.receive, fit.eager_bytes.value)},
                    {"smpi/async-small-thresh", fmt::format("{:.0f}", eager_below)},
                    {"smpi/send-is-detached-thresh", fmt::format("{:.0f}", eager_below)},
                    {"network/latency-factor", latency},
                    {"network/bandwidth-factor", bandwidth},
                    {"network/TCP-gamma", "0"},
                    {"network/crosstraffic", "0"},
                    {"smpi/test", fmt::format("{:.4g}", fit.test.value / kSecond)},
                    {"smpi/iprobe", fmt::format("{:.4g}", fit.probe.value / kSecond)},
                    {"smpi/wtime", fmt::format("{:.4g}", fit.clock.value / kSecond)}};
  if (!fit.isend.segments.empty()) {
    tables.options.emplace_back("smpi/ois", overheads(fit.isend, 1e300));
  }
  return tables;
}

}  // namespace slackline
