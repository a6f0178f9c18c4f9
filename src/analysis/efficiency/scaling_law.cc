// Fitting by trying: for each pair of exponents the other two numbers are a linear regression, and
// leaving out one run at a time says how well the pair predicts what it has not seen.

#include "analysis/efficiency/scaling_law.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

namespace slackline {
namespace {

/// Extra-P's default exponents.
constexpr std::array<double, 19> kExponents{
    0,       1.0 / 4, 1.0 / 3, 1.0 / 2, 2.0 / 3, 3.0 / 4, 1,       5.0 / 4,  4.0 / 3, 3.0 / 2,
    5.0 / 3, 7.0 / 4, 2,       9.0 / 4, 7.0 / 3, 5.0 / 2, 8.0 / 3, 11.0 / 4, 3};
constexpr int kMostLogarithms = 2;
constexpr std::size_t kFewestRuns = 3;
/// Among so many laws, one passes close to fewer points than this by chance: then deviations are
/// taken to be at least kNoise of the values.
constexpr std::size_t kEnoughRuns = 5;
constexpr double kNoise = 0.01;
/// A law must be this many times as good as a constant.
constexpr double kBetter = 0.9;
/// Errors that differ by less are equal; then the simpler law counts.
constexpr double kRounding = 1e-9;

double term(double ranks, double exponent, int log_exponent) {
  return std::pow(ranks, exponent) * std::pow(std::log2(ranks), log_exponent);
}

/// Student's t for 97.5 %.
double student(std::size_t freedom) {
  constexpr std::array<double, 10> kQuantiles{12.706, 4.303, 3.182, 2.776, 2.571,
                                              2.447,  2.365, 2.306, 2.262, 2.228};
  if (freedom == 0) return std::numeric_limits<double>::infinity();
  if (freedom <= kQuantiles.size()) return kQuantiles[freedom - 1];
  return 1.96 + 2.5 / static_cast<double>(freedom);
}

/// Noise of measurements is a share of what is measured, so errors count relative to it.
double weight_of(double value, double largest) {
  constexpr double kLeastShare = 1e-6;
  const double size = std::max(std::abs(value), kLeastShare * largest);
  return size > 0 ? 1 / (size * size) : 1;
}

/// Weighted least squares; `skip`: a point to leave out. Empty where the term is the same for all.
std::optional<ScalingLaw> regression(std::span<const ScalingPoint> points, double exponent,
                                     int log_exponent, std::size_t skip) {
  ScalingLaw law{.exponent = exponent, .log_exponent = log_exponent};
  double largest = 0;
  for (const ScalingPoint& p : points) largest = std::max(largest, std::abs(p.value));
  const auto each = [&](auto use) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (i == skip) continue;
      use(term(points[i].ranks, exponent, log_exponent), points[i].value,
          weight_of(points[i].value, largest));
    }
  };
  double mean_value = 0;
  std::size_t count = 0;
  each([&](double x, double y, double weight) {
    ++count;
    law.weights += weight;
    law.mean_term += weight * x;
    mean_value += weight * y;
  });
  law.mean_term /= law.weights;
  mean_value /= law.weights;
  double products = 0;
  each([&](double x, double y, double weight) {
    law.term_squares += weight * (x - law.mean_term) * (x - law.mean_term);
    products += weight * (x - law.mean_term) * (y - mean_value);
  });
  const bool constant = exponent == 0 && log_exponent == 0;
  if (!constant && law.term_squares <= kRounding * law.weights * law.mean_term * law.mean_term) {
    return std::nullopt;
  }
  law.coefficient = constant ? 0 : products / law.term_squares;
  law.constant = mean_value - law.coefficient * law.mean_term;
  double squares = 0;
  each([&](double x, double y, double weight) {
    const double error = y - law.constant - law.coefficient * x;
    squares += weight * error * error;
  });
  const std::size_t parameters = constant ? 1 : 2;
  law.freedom = count > parameters ? count - parameters : 0;
  const double deviation =
      law.freedom > 0 ? std::sqrt(squares / static_cast<double>(law.freedom)) : 0;
  law.deviation = deviation > kRounding ? deviation : 0;
  return law;
}

double relative_error(double predicted, double value) {
  const double size = std::abs(predicted) + std::abs(value);
  return size > 0 ? 2 * std::abs(predicted - value) / size : 0;
}

std::optional<ScalingLaw> validated(std::span<const ScalingPoint> points, double exponent,
                                    int log_exponent) {
  std::optional<ScalingLaw> law = regression(points, exponent, log_exponent, points.size());
  if (!law) return law;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto without = regression(points, exponent, log_exponent, i);
    if (!without) return std::nullopt;
    law->cross_validation_error += relative_error(without->at(points[i].ranks), points[i].value) /
                                   static_cast<double>(points.size());
  }
  return law;
}

/// Are the residuals of a law so small that its exponents are not ruled out at 95 %, when the least
/// of any law are `deviation`? (The profile likelihood's limit in a regression.)
bool plausible(const ScalingLaw& law, double deviation) {
  if (law.freedom == 0) return true;
  const double quantile = student(law.freedom);
  const double limit = 1 + quantile * quantile / static_cast<double>(law.freedom);
  return law.deviation * law.deviation <= limit * deviation * deviation;
}

}  // namespace

double ScalingLaw::at(double ranks) const {
  return constant + coefficient * term(ranks, exponent, log_exponent);
}

namespace {

/// By one law alone.
Extrapolation prediction(const ScalingLaw& law, double ranks) {
  const double distance = term(ranks, law.exponent, law.log_exponent) - law.mean_term;
  const double leverage = law.coefficient == 0 ? 0 : distance * distance / law.term_squares;
  const double value = law.at(ranks);
  const double width = law.deviation == 0
                           ? 0
                           : student(law.freedom) * law.deviation *
                                 std::sqrt(value * value + 1 / law.weights + leverage);
  return {value, value - width, value + width};
}

}  // namespace

Extrapolation ScalingLaw::extrapolate(double ranks) const {
  Extrapolation all = prediction(*this, ranks);
  for (const ScalingLaw& other : alternatives) {
    const Extrapolation e = prediction(other, ranks);
    all.low = std::min(all.low, e.low);
    all.high = std::max(all.high, e.high);
  }
  return all;
}

std::string ScalingLaw::formula(double scale) const {
  std::string text = fmt::format("{:.4g}", constant / scale);
  if (coefficient == 0) return text;
  text += fmt::format(" {} {:.4g}", coefficient < 0 ? "-" : "+", std::abs(coefficient) / scale);
  if (exponent != 0) text += fmt::format(" * p^{:.3g}", exponent);
  if (log_exponent == 1) text += " * log2(p)";
  if (log_exponent > 1) text += fmt::format(" * log2(p)^{}", log_exponent);
  return text;
}

std::optional<ScalingLaw> fit_scaling_law(std::span<const ScalingPoint> points) {
  std::set<double> ranks;
  for (const ScalingPoint& p : points) ranks.insert(p.ranks);
  if (ranks.size() < kFewestRuns || *ranks.begin() < 1) return std::nullopt;
  std::vector<ScalingLaw> laws{*validated(points, 0, 0)};
  std::size_t best = 0;
  double limit = kBetter * laws.front().cross_validation_error;
  for (const double size : kExponents) {
    for (const double exponent : {size, -size}) {
      for (int log_exponent = 0; log_exponent <= kMostLogarithms; ++log_exponent) {
        const auto law = validated(points, exponent, log_exponent);
        if (!law || law->coefficient == 0) continue;
        laws.push_back(*law);
        if (law->cross_validation_error + kRounding >= limit) continue;
        best = laws.size() - 1;
        limit = law->cross_validation_error;
      }
    }
  }
  if (ranks.size() < kEnoughRuns) {
    for (ScalingLaw& law : laws) {
      if (law.deviation > 0) law.deviation = std::max(law.deviation, kNoise);
    }
  }
  ScalingLaw result = laws[best];
  const double least = std::ranges::min_element(laws, {}, &ScalingLaw::deviation)->deviation;
  for (std::size_t i = 0; i < laws.size(); ++i) {
    if (i != best && plausible(laws[i], least)) result.alternatives.push_back(laws[i]);
  }
  return result;
}

}  // namespace slackline
