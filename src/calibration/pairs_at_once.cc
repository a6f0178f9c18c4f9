#include "calibration/pairs_at_once.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/units.h"
#include "calibration/robust.h"

namespace slackline {
namespace {

using Point = PairsAtOnce::Point;

constexpr FindingKind kNotPlaced{
    "pairs_share_processors", Severity::notice,
    "Pairs of ranks have no processor for each rank: how they share bandwidth cannot be measured."};
constexpr FindingKind kDisturbedTogether{
    "pairs_at_once_disturbed", Severity::notice,
    "Other processes used the processors while pairs of ranks exchanged messages at the same time: "
    "these numbers of pairs are no part of the curve."};
constexpr FindingKind kUnevenSharing{
    "pairs_at_once_residual", Severity::notice,
    "No bandwidth that all pairs share explains what they take at the same time: the backbone of "
    "the platform is uncertain."};
constexpr double kMuch = 0.1;

/// The part of a round trip that grows with its bytes.
double share_of_bytes(const LogGPSFit& fit, double bytes) {
  std::vector<WeightedPoint> lengthy = fit.one_way.points;
  std::erase_if(lengthy, [](const WeightedPoint& p) { return p.x < kLongMessage; });
  if (lengthy.size() < 2) return 1;
  const AffineFunction line = relative_line(lengthy);
  return std::clamp(line.slope * bytes / line.at(bytes), 0.01, 1.0);
}

double model_of(double pairs, double factor, double bytes_share) {
  return 1 - bytes_share + bytes_share * std::max(1.0, pairs / factor);
}

struct SharedFactor {
  double factor = 0;
  double squares = 0;
};

double squares_of(const std::vector<Point>& points, double alone_ns, double factor, double share) {
  double squares = 0;
  for (const Point& p : points) {
    if (p.disturbed) continue;
    const double error = alone_ns * model_of(p.pairs, factor, share) / p.round_trip_ns - 1;
    squares += error * error;
  }
  return squares;
}

/// Where the first number of pairs that is slowed is `first`, the best u = 1 / factor is that of a
/// linear least squares over it and all larger ones: r = (1 - share + share k u) alone / t.
SharedFactor best_factor(const std::vector<Point>& points, double alone_ns, double share) {
  const double most = points.back().pairs;
  SharedFactor best{most, squares_of(points, alone_ns, most, share)};
  for (std::int32_t first = 2; first <= points.back().pairs; ++first) {
    double xy = 0, xx = 0;
    for (const Point& p : points) {
      if (p.pairs < first || p.disturbed) continue;
      const double x = share * p.pairs * alone_ns / p.round_trip_ns;
      xy += x * (1 - (1 - share) * alone_ns / p.round_trip_ns);
      xx += x * x;
    }
    if (!(xy > 0)) continue;
    const double factor = std::clamp(xx / xy, first - 1.0, static_cast<double>(first));
    const double squares = squares_of(points, alone_ns, factor, share);
    if (squares < best.squares) best = {factor, squares};
  }
  return best;
}

}  // namespace

std::optional<PairsAtOnce> pairs_at_once(const CalibrationSamples& samples, const LogGPSFit& fit) {
  if (samples.pairs_started < 2) return std::nullopt;
  PairsAtOnce all{.placed = samples.pairs_placed, .started = samples.pairs_started};
  std::map<std::int32_t, std::vector<const PairsAtOnceSample*>> by_pairs;
  for (const PairsAtOnceSample& s : samples.pairs_at_once) by_pairs[s.pairs].push_back(&s);
  for (const auto& [pairs, repetitions] : by_pairs) {
    std::vector<double> times, without;
    for (const PairsAtOnceSample* s : repetitions) {
      times.push_back(s->ns);
      without.push_back(s->without_processor);
    }
    all.points.push_back({.pairs = pairs,
                          .round_trip_ns = sample_median(std::move(times)),
                          .disturbed = sample_median(std::move(without)) > kDisturbedCalibration});
  }
  if (all.points.empty() || all.points[0].pairs != 1) return all;
  const double alone = all.points[0].round_trip_ns;
  const double bytes =
      share_of_bytes(fit, static_cast<double>(samples.pairs_at_once.front().bytes));
  const SharedFactor found = best_factor(all.points, alone, bytes);
  std::size_t used = 0;
  for (Point& p : all.points) {
    const double slowed = (p.round_trip_ns / alone - (1 - bytes)) / bytes;
    p.share = slowed > 0 ? 1 / slowed : 1;
    p.model_ns = alone * model_of(p.pairs, found.factor, bytes);
    used += !p.disturbed;
  }
  const bool certain = used > 1 && !all.points[0].disturbed;
  if (certain) all.residual = std::sqrt(found.squares / static_cast<double>(used));
  if (certain && found.factor < all.points.back().pairs) all.factor = found.factor;
  return all;
}

namespace {

const Rows<Point> kPoints{"pairs_at_once",
                          "Round trips of several pairs at the same time",
                          {{"pairs", "pairs", Unit::count, &Point::pairs},
                           {"round_trip_ns", "round trip", Unit::ns, &Point::round_trip_ns},
                           {"bandwidth_share", "share of bandwidth", Unit::ratio, &Point::share},
                           {"model_ns", "model", Unit::ns, &Point::model_ns},
                           {"disturbed", &Point::disturbed}}};

}  // namespace

const Rows<PairsAtOnce> kPairsAtOnce{{"points", &PairsAtOnce::points, kPoints},
                                     {"factor", &PairsAtOnce::factor},
                                     {"residual", &PairsAtOnce::residual},
                                     {"placed", &PairsAtOnce::placed},
                                     {"started", &PairsAtOnce::started}};

std::optional<PairsAtOnceJson> add_pairs_at_once(std::vector<Section>& sections, Findings& findings,
                                                 const std::optional<PairsAtOnce>& pairs) {
  if (!pairs) return std::nullopt;
  if (pairs->placed < pairs->started) {
    findings.add(kNotPlaced,
                 fmt::format("processors for {} of {} pairs", pairs->placed, pairs->started),
                 static_cast<std::uint64_t>(pairs->started - pairs->placed));
  }
  for (const Point& p : pairs->points) {
    if (p.disturbed) findings.add(kDisturbedTogether, fmt::format("{} pairs", p.pairs));
  }
  if (pairs->residual > kMuch) {
    findings.add(kUnevenSharing, fmt::format("residual {}", format_percent(pairs->residual, 0)));
  }
  Section section{.id = "pairs_at_once", .title = "Pairs of ranks at the same time"};
  section.items.emplace_back(Paragraph{
      pairs->factor
          ? fmt::format("All pairs together have {:.2f} times the bandwidth of one; residual {}.",
                        *pairs->factor, format_percent(pairs->residual, 1))
      : pairs->points.size() > 1
          ? fmt::format("The pairs that were measured do not slow each other; residual {}.",
                        format_percent(pairs->residual, 1))
          : "Contention of several pairs was not measured: there is no processor for each rank."});
  if (!pairs->points.empty()) section.items.emplace_back(kPoints.table(pairs->points));
  sections.push_back(std::move(section));
  return PairsAtOnceJson(*pairs);
}

}  // namespace slackline
