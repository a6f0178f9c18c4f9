#include "calibration/smpi_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace slackline {
namespace {

constexpr double kEnvelope = 16;  // bytes that SimGrid adds to a message's on the wire
constexpr double kSecond = 1e9;
constexpr double kFastest = 1e-6;  // ns per byte: a bandwidth that no machine has

/// SimGrid's segments hold for sizes above their first number.
double begin_of(const std::vector<WeightedPoint>& points, std::size_t first) {
  return first == 0 ? 0 : points[first].x - 1;
}

/// "0:offset:slope;..." in seconds, of the segments that begin below `limit` bytes.
std::string overheads(const PiecewiseFit& fit, double limit) {
  std::string text;
  for (std::size_t i = 0; i < fit.segments.size(); ++i) {
    const FittedSegment& s = fit.segments[i];
    if (i > 0 && s.from > limit) break;
    const double from = i == 0 ? 0 : s.from - 1;
    text += fmt::format("{}{:.0f}:{:.4g}:{:.4g}", text.empty() ? "" : ";", from,
                        std::max(0.0, s.offset.value) / kSecond,
                        std::max(0.0, s.slope.value) / kSecond);
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
  const double last_slope = std::max(kFastest, segments.back().line.slope);
  tables.latency_ns = std::max(1.0, fit.latency.value);
  tables.bandwidth_bytes_per_s = kSecond / last_slope;
  std::string latency, bandwidth;
  for (const LineSegment& s : segments) {
    const double slope = std::max(kFastest, s.line.slope);
    const double offset = std::max(0.0, s.line.offset - kEnvelope * slope);
    // Factors are looked up by the size with its envelope.
    const double from = s.first == 0 ? 0 : begin_of(points, s.first) + kEnvelope;
    const char* separator = s.first == 0 ? "" : ";";
    latency += fmt::format("{}{:.0f}:{:.6g}", separator, from, offset / tables.latency_ns);
    bandwidth += fmt::format("{}{:.0f}:{:.6g}", separator, from, last_slope / slope);
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
