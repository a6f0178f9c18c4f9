// Growth beside changes of level. Programs grow in many ways: a queue becomes longer by as much in
// each step (linear), particles gather (faster than that), a front spreads (slower). All are
// g(t) = log(1 + (exp(p G) - 1) t) / p, with G = g(1) and the power p of the value that is linear
// in time (Box and Cox, J. R. Stat. Soc. B 26, 1964); p = 0 is exponential growth, g(t) = G t. The
// levels between given borders are taken out by subtracting each level's mean from values and
// derivatives alike (Frisch and Waugh, Econometrica 1, 1933), which leaves G to be found by a few
// steps of Gauss and Newton's method.

#include "analysis/phases/prepared_series.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace slackline {
namespace {

constexpr int kNewtonSteps = 5;
constexpr double kMostGrowth = 6;  // on the logarithmic scale

/// What is left of values and derivatives when their mean in each level is subtracted.
struct Moments {
  double errors = 0;  // sum of squares
  double product = 0;
  double derivatives = 0;
};

Moments moments(const std::vector<double>& values, const std::vector<std::size_t>& borders,
                const SeriesTrend& trend) {
  const std::size_t steps = values.size();
  const double scale = 1 / static_cast<double>(std::max<std::size_t>(2, steps) - 1);
  const double rise = trend.rise();
  Moments all;
  for (std::size_t level = 0; level <= borders.size(); ++level) {
    const std::size_t from = level == 0 ? 0 : borders[level - 1];
    const std::size_t to = level == borders.size() ? steps : borders[level];
    double y = 0;
    double d = 0;
    Moments raw;
    for (std::size_t i = from; i < to; ++i) {
      const double t = static_cast<double>(i) * scale;
      const double error = values[i] - trend.at(t, rise);
      const double slope = (1 + rise) * t / (1 + rise * t);
      y += error;
      d += slope;
      raw.errors += error * error;
      raw.product += error * slope;
      raw.derivatives += slope * slope;
    }
    const auto count = static_cast<double>(to - from);
    all.errors += raw.errors - y * y / count;
    all.product += raw.product - y * d / count;
    all.derivatives += raw.derivatives - d * d / count;
  }
  return all;
}

}  // namespace

double SeriesTrend::rise() const {
  return std::expm1(power * total);
}

double SeriesTrend::at(double t, double rise) const {
  if (power == 0) return total * t;
  return std::log1p(rise * t) / power;
}

SeriesTrend fit_trend(const std::vector<double>& values, const std::vector<std::size_t>& borders,
                      const std::vector<double>& powers) {
  SeriesTrend best;
  double least = std::numeric_limits<double>::infinity();
  for (const double power : powers) {
    SeriesTrend trend{.total = 0, .power = power};
    Moments now = moments(values, borders, trend);
    for (int i = 0; i < kNewtonSteps && now.derivatives > 0; ++i) {
      trend.total =
          std::clamp(trend.total + now.product / now.derivatives, -kMostGrowth, kMostGrowth);
      now = moments(values, borders, trend);
    }
    if (now.errors < least) {
      least = now.errors;
      best = trend;
    }
  }
  return best;
}

}  // namespace slackline
