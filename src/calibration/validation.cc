// How far predictions agree with measurements.
//
// Each added latency has some runs, of which the median counts: interruptions only ever lengthen a
// run. The runs without added latency are also the recordings from which all others are predicted,
// so there are as many predictions as there are of them. A replicate of the bootstrap draws runs
// with replacement at every latency, and recordings with replacement for the prediction, and
// computes everything anew: intervals then hold what differs between runs, on both sides.

#include "calibration/validation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace slackline {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kUnlimited = std::numeric_limits<double>::infinity();

/// The medians of one replicate, by point.
struct Medians {
  std::vector<double> added;
  std::vector<double> measured;
  std::vector<double> predicted;
  std::vector<double> tolerances;
};

std::vector<double> drawn(const std::vector<double>& values, ResamplingIndices& random) {
  std::vector<double> result;
  for (std::size_t i = 0; i < values.size(); ++i)
    result.push_back(values[random.next(values.size())]);
  return result;
}

/// `choice`: indices of recordings.
std::vector<double> chosen(const std::vector<double>& values,
                           const std::vector<std::size_t>& choice) {
  std::vector<double> result;
  for (const std::size_t i : choice) result.push_back(values[i]);
  return result;
}

std::vector<double> with_infinity(const std::vector<std::optional<double>>& values) {
  std::vector<double> result;
  for (const auto& value : values) result.push_back(value.value_or(kUnlimited));
  return result;
}

/// An interpolated median of unlimited values would be no number.
double median_or_unlimited(std::vector<double> values) {
  expects(!values.empty(), "a tolerance has samples");
  std::ranges::sort(values);
  const double middle = values[values.size() / 2];
  return std::isinf(middle) ? middle : sample_median(std::move(values));
}

Medians medians_of(const ValidationSamples& samples) {
  Medians m;
  for (const ValidationPoint& p : samples.points) {
    m.added.push_back(p.added_ns);
    m.measured.push_back(sample_median(p.measured_ns));
    m.predicted.push_back(sample_median(p.predicted_ns));
  }
  for (const PredictedTolerance& t : samples.tolerances) {
    m.tolerances.push_back(median_or_unlimited(with_infinity(t.added_ns)));
  }
  return m;
}

Medians resampled(const ValidationSamples& samples, ResamplingIndices& random) {
  const std::size_t recordings = samples.points.front().predicted_ns.size();
  std::vector<std::size_t> choice(recordings);
  for (std::size_t& i : choice) i = random.next(recordings);
  Medians m;
  for (const ValidationPoint& p : samples.points) {
    m.added.push_back(p.added_ns);
    m.measured.push_back(sample_median(drawn(p.measured_ns, random)));
    m.predicted.push_back(sample_median(chosen(p.predicted_ns, choice)));
  }
  for (const PredictedTolerance& t : samples.tolerances) {
    m.tolerances.push_back(median_or_unlimited(chosen(with_infinity(t.added_ns), choice)));
  }
  return m;
}

double error_at(const Medians& m, std::size_t i) {
  return m.predicted[i] / m.measured[i] - 1;
}

double growth_error_at(const Medians& m, std::size_t i) {
  return (m.predicted[i] / m.predicted[0]) / (m.measured[i] / m.measured[0]) - 1;
}

template <typename ErrorAt>
double root_mean_square(const Medians& m, ErrorAt error) {
  double squares = 0;
  for (std::size_t i = 0; i < m.added.size(); ++i) squares += error(m, i) * error(m, i);
  return std::sqrt(squares / static_cast<double>(m.added.size()));
}

double mean_error(const Medians& m) {
  double sum = 0;
  for (std::size_t i = 0; i < m.added.size(); ++i) sum += error_at(m, i);
  return sum / static_cast<double>(m.added.size());
}

/// The added latency from which on the measured medians stay above the bound, interpolated; NaN
/// when the last of them does not exceed it.
double measured_tolerance(const Medians& m, double degradation) {
  const double bound = (1 + degradation) * m.measured[0];
  std::size_t last_within = 0;
  for (std::size_t i = 0; i < m.added.size(); ++i) {
    if (m.measured[i] <= bound) last_within = i;
  }
  const std::size_t next = last_within + 1;
  if (next >= m.added.size()) return kNone;
  const double share =
      (bound - m.measured[last_within]) / (m.measured[next] - m.measured[last_within]);
  return m.added[last_within] + share * (m.added[next] - m.added[last_within]);
}

/// One number of every replicate, beside its value.
class Statistic {
 public:
  Statistic(const Medians& all, const std::vector<Medians>& replicates)
      : all_(all), replicates_(replicates) {}

  template <typename Of>
  Estimate operator()(Of of) const {
    std::vector<double> values;
    for (const Medians& m : replicates_) {
      const double value = of(m);
      values.push_back(std::isinf(value) ? kNone : value);
    }
    return with_interval(of(all_), values);
  }

 private:
  const Medians& all_;
  const std::vector<Medians>& replicates_;
};

}  // namespace

Validation validate(const ValidationSamples& samples, std::size_t replicates, std::uint64_t seed) {
  const Medians all = medians_of(samples);
  ResamplingIndices random(seed);
  std::vector<Medians> drawn_medians;
  for (std::size_t i = 0; i < replicates; ++i) drawn_medians.push_back(resampled(samples, random));
  const Statistic estimate(all, drawn_medians);
  Validation v;
  for (std::size_t i = 0; i < all.added.size(); ++i) {
    v.points.push_back({all.added[i], estimate([i](const Medians& m) { return m.measured[i]; }),
                        estimate([i](const Medians& m) { return m.predicted[i]; }),
                        estimate([i](const Medians& m) { return error_at(m, i); })});
  }
  for (std::size_t t = 0; t < samples.tolerances.size(); ++t) {
    ValidatedTolerance tolerance{samples.tolerances[t].degradation, {}, {}};
    if (!std::isinf(all.tolerances[t])) {
      tolerance.predicted_ns = estimate([t](const Medians& m) { return m.tolerances[t]; });
    }
    if (!std::isnan(measured_tolerance(all, tolerance.degradation))) {
      tolerance.measured_ns =
          estimate([&](const Medians& m) { return measured_tolerance(m, tolerance.degradation); });
    }
    v.tolerances.push_back(tolerance);
  }
  v.rrmse = estimate([](const Medians& m) { return root_mean_square(m, error_at); });
  v.relative_rrmse =
      estimate([](const Medians& m) { return root_mean_square(m, growth_error_at); });
  v.bias = estimate(mean_error);
  return v;
}

}  // namespace slackline
