#include "calibration/loggps_fit.h"

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

/// Lines that begin at a size and hold for all larger ones up to the next.
struct Piece {
  double from = 0;
  AffineFunction line{};
};

double at(const std::vector<Piece>& pieces, double size) {
  const auto after = std::ranges::upper_bound(pieces, size, {}, &Piece::from);
  return after == pieces.begin() ? 0 : (after - 1)->line.at(size);
}

/// Pieces of the segments that begin at `limit` bytes or below.
std::vector<Piece> pieces_of(const PiecewiseFit& fit, double limit) {
  std::vector<Piece> pieces;
  for (const FittedSegment& s : fit.segments) {
    if (!pieces.empty() && s.from > limit) break;
    pieces.push_back({pieces.empty() ? 0 : s.from, nonnegative_line(points_in(fit, s), 0)});
  }
  return pieces;
}

std::vector<Piece> pieces_of(const std::vector<WeightedPoint>& points) {
  std::vector<Piece> pieces;
  for (const LineSegment& part : find_segments(points, {})) {
    const auto of = std::span(points).subspan(part.first, part.end - part.first);
    pieces.push_back({pieces.empty() ? 0 : of.front().x, nonnegative_line(of, 0)});
  }
  return pieces;
}

/// "0:offset:slope;..." in seconds. SimGrid's segments hold for sizes above their first number.
std::string option_text(const std::vector<Piece>& pieces) {
  std::string text;
  for (const Piece& piece : pieces) {
    text += fmt::format("{}{:.0f}:{:.4g}:{:.4g}", text.empty() ? "" : ";",
                        piece.from == 0 ? 0 : piece.from - 1, piece.line.offset / kSecond,
                        piece.line.slope / kSecond);
  }
  return text;
}

/// In MPI_Recv, beside the transfer, which is a part of it for messages that are detached.
double receive_overhead(const LogGPSFit& fit, double size) {
  const FittedSegment& segment =
      fit.receive.segment_at(std::min(size, fit.asynchronous_bytes.value));
  return segment.offset.value + segment.slope.value * size;
}

/// How the one-way time of each size is divided.
struct Parts {
  std::vector<WeightedPoint> send{}, receive{};  // eager sizes
  std::vector<WeightedPoint> network{};          // all sizes
  std::vector<double> scaled{};
};

Parts parts_of(const LogGPSFit& fit, Buffers buffers) {
  Parts parts;
  for (const WeightedPoint& p : fit.one_way_of(buffers).points) {
    if (p.x > fit.eager_bytes.value) {
      parts.network.push_back(p);
      continue;
    }
    const double send = fit.send.at(p.x);
    const double receive = receive_overhead(fit, p.x);
    const double factor = std::min(1.0, p.y / (send + receive));
    if (factor < 1) parts.scaled.push_back(p.x);
    parts.send.push_back({p.x, factor * send, p.deviation});
    parts.receive.push_back({p.x, factor * receive, p.deviation});
    parts.network.push_back({p.x, p.y - factor * (send + receive), p.deviation});
  }
  return parts;
}

}  // namespace

SmpiTables smpi_tables(const LogGPSFit& fit, Buffers buffers) {
  const Parts parts = parts_of(fit, buffers);
  const std::vector<WeightedPoint>& points = parts.network;
  const std::vector<LineSegment> segments = find_segments(points, {});
  const bool scaled = !parts.scaled.empty();
  const double eager = fit.eager_bytes.value;
  const std::vector<Piece> send = scaled ? pieces_of(parts.send) : pieces_of(fit.send, eager);
  const std::vector<Piece> receive =
      scaled ? pieces_of(parts.receive) : pieces_of(fit.receive, fit.asynchronous_bytes.value);
  SmpiTables tables;
  tables.scaled_sizes = parts.scaled;
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
  for (std::size_t i = 0; i < segments.size(); ++i) {
    for (std::size_t k = segments[i].first; k < segments[i].end; ++k) {
      const double size = points[k].x;
      const double calls = size <= eager ? at(send, size) + at(receive, size) : 0;
      tables.one_way_ns.push_back(calls + lines[i].at(size + kEnvelope));
    }
  }
  if (fit.contention) {
    // A message alone is not limited, whatever the measured factor is.
    tables.limiter_bytes_per_s =
        std::max(1.0, fit.contention->factor.value) * tables.bandwidth_bytes_per_s;
  }
  tables.options = {
      {"smpi/os", option_text(send)},
      {"smpi/or", option_text(receive)},
      {"smpi/async-small-thresh", fmt::format("{:.0f}", fit.asynchronous_bytes.value + 1)},
      {"smpi/send-is-detached-thresh", fmt::format("{:.0f}", eager + 1)},
      {"network/latency-factor", latency},
      {"network/bandwidth-factor", bandwidth},
      {"network/TCP-gamma", "0"},
      {"network/crosstraffic", "0"},
      {"smpi/test", fmt::format("{:.4g}", fit.test.value / kSecond)},
      {"smpi/iprobe", fmt::format("{:.4g}", fit.probe.value / kSecond)},
      {"smpi/wtime", fmt::format("{:.4g}", fit.clock.value / kSecond)}};
  if (!fit.isend.segments.empty()) {
    tables.options.emplace_back("smpi/ois", option_text(pieces_of(fit.isend, 1e300)));
  }
  return tables;
}

}  // namespace slackline
