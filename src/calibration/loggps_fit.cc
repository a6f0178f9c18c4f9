#include "calibration/loggps_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/error.h"

namespace slackline {
namespace {

using Rounds = std::vector<std::size_t>;

const SampleTable& needed(const CalibrationSamples& samples, Quantity quantity) {
  const SampleTable& table = samples[quantity];
  if (!table.empty()) return table;
  throw Error("cannot fit the parameters",
              fmt::format("'{}' was never measured", name_of(quantity)),
              "Measure again, with more --seconds.");
}

SampleTable halved(SampleTable table) {
  for (auto& round : table.rounds) {
    for (double& value : round) value /= 2;
  }
  return table;
}

/// (PRTT(n,0,s) - PRTT(1,0,s)) / (n - 1), with the median of the latter, round by round.
SampleTable time_per_message(SampleTable table, const SampleTable& messages,
                             const SampleTable& round_trips) {
  const std::vector<WeightedPoint> single = points_of(round_trips);
  for (std::size_t r = 0; r < table.rounds.size(); ++r) {
    for (std::size_t i = 0; i < table.sizes.size(); ++i) {
      const auto alone = std::ranges::find(single, table.sizes[i], &WeightedPoint::x);
      const double n = messages.rounds[r][i];
      double& value = table.rounds[r][i];
      value = alone == single.end() || n < 2 ? std::nan("") : (value - alone->y) / (n - 1);
    }
  }
  return table;
}

SampleTable time_per_message(const CalibrationSamples& samples) {
  return time_per_message(needed(samples, Quantity::stream), samples.messages,
                          needed(samples, Quantity::round_trip));
}

/// The line of the smallest sizes, at one byte.
double at_one_byte(const SampleTable& table, const PiecewiseFit& fit, const Rounds& rounds) {
  std::vector<WeightedPoint> small = points_of(table, rounds);
  std::erase_if(small, [&](const WeightedPoint& p) { return p.x > fit.segments.front().to; });
  return std::max(0.0, fit_line(small).at(1));
}

/// One value of each parameter out of some of the rounds.
struct Parameters {
  double latency, overhead, send, receive, gap, gap_per_byte, both_ways;
};

class Estimator {
 public:
  Estimator(const CalibrationSamples& samples, const LogGPSFit& fit)
      : one_way_(halved(samples[Quantity::round_trip])),
        stream_(time_per_message(samples)),
        samples_(samples),
        fit_(fit) {}

  Parameters operator()(const Rounds& rounds) const {
    Parameters p{};
    p.send = at_one_byte(samples_[Quantity::send], fit_.send, rounds);
    p.receive = at_one_byte(samples_[Quantity::receive], fit_.receive, rounds);
    // Half a round trip is what the model must give again, so o gives way where the calls by
    // themselves take longer, as they may within a node: there they are colder.
    const double one_way = at_one_byte(one_way_, fit_.one_way, rounds);
    p.overhead = std::min(p.send + p.receive, one_way) / 2;
    p.latency = one_way - 2 * p.overhead;
    const AffineFunction line = relative_line(points_of(stream_, rounds));
    p.gap_per_byte = std::max(0.0, line.slope);
    p.gap = std::max(0.0, line.at(1));
    p.both_ways = sharing(rounds).factor;
    return p;
  }
  SharedBandwidth sharing(const Rounds& rounds) const {
    const SampleTable& both_ways = samples_[Quantity::both_ways];
    if (both_ways.empty()) return {};
    return shared_bandwidth(points_of(one_way_, rounds), points_of(both_ways, rounds));
  }

 private:
  SampleTable one_way_;
  SampleTable stream_;
  const CalibrationSamples& samples_;
  const LogGPSFit& fit_;
};

Estimate estimate(double Parameters::*member, const Parameters& value,
                  const std::vector<Parameters>& replicates) {
  std::vector<double> values;
  for (const Parameters& p : replicates) values.push_back(p.*member);
  return with_interval(value.*member, values);
}

void fit_parameters(const CalibrationSamples& samples, const PiecewiseOptions& options,
                    LogGPSFit& fit) {
  const Estimator estimator(samples, fit);
  const Parameters value = estimator({});
  std::vector<Parameters> replicates;
  for (const Rounds& drawn :
       bootstrap_rounds(samples[Quantity::round_trip], options.replicates, options.seed)) {
    replicates.push_back(estimator(drawn));
  }
  fit.latency = estimate(&Parameters::latency, value, replicates);
  fit.overhead = estimate(&Parameters::overhead, value, replicates);
  fit.send_overhead = estimate(&Parameters::send, value, replicates);
  fit.receive_overhead = estimate(&Parameters::receive, value, replicates);
  fit.gap = estimate(&Parameters::gap, value, replicates);
  fit.gap_per_byte = estimate(&Parameters::gap_per_byte, value, replicates);
  if (samples[Quantity::both_ways].empty() || !(value.both_ways > 0)) return;
  fit.contention = {.factor = estimate(&Parameters::both_ways, value, replicates),
                    .residual = estimator.sharing({}).residual};
}

/// The cost of a call that has no size.
Estimate plain_cost(const SampleTable& table, const PiecewiseOptions& options) {
  if (table.empty()) return {};
  const auto centre = [&](const Rounds& rounds) {
    const auto points = points_of(table, rounds);
    return points.empty() ? std::nan("") : points.front().y;
  };
  std::vector<double> replicates;
  for (const Rounds& drawn : bootstrap_rounds(table, options.replicates, options.seed)) {
    replicates.push_back(centre(drawn));
  }
  return with_interval(centre({}), replicates);
}

void fit_threshold(const CalibrationSamples& samples, LogGPSFit& fit) {
  if (!samples.eager_bytes) {
    throw Error("cannot fit the parameters", "the eager threshold was never measured",
                "Measure again, with more --seconds.");
  }
  const auto eager = static_cast<double>(*samples.eager_bytes);
  fit.all_eager = samples.synchronous_bytes == kAllEager;
  const double high = fit.all_eager ? eager : static_cast<double>(samples.synchronous_bytes) - 1;
  fit.eager_bytes = {eager, eager, std::max(eager, high)};
}

double line_at(const FittedSegment& segment, double size) {
  return segment.offset.value + segment.slope.value * size;
}

/// What MPI_Recv takes of a message that leaves when the receive is posted.
double receive_with_transfer(const LogGPSFit& fit, double size) {
  return fit.one_way.at(size) - fit.send.at(size);
}

/// Whether every longer message that was sent long before takes its receive about that long.
bool wait_for_transfer(const LogGPSFit& fit, double from) {
  constexpr double kLeast = 0.8, kMost = 1.5;  // control messages come on top
  return std::ranges::all_of(fit.receive.points, [&](const WeightedPoint& p) {
    const double whole = receive_with_transfer(fit, p.x);
    return p.x < from || (p.y >= kLeast * whole && p.y <= kMost * whole);
  });
}

/// Where MPI_Recv of a message that was sent long before begins to wait for the transfer: it rises
/// there by most of what that takes, and stays so. Within a node, where messages are copied by the
/// calls themselves, nothing does.
Estimate transferred_before_receive(const LogGPSFit& fit) {
  constexpr double kLeastTransfer = 0.05;  // of the receive; less cannot be told from overhead
  for (std::size_t i = 0; i < fit.receive.breakpoints.size(); ++i) {
    const Breakpoint& at = fit.receive.breakpoints[i];
    const double there = line_at(fit.receive.segments[i], at.value);
    const double not_there = line_at(fit.receive.segments[i + 1], at.value);
    const double whole = receive_with_transfer(fit, at.value);
    const double transfer = whole - there;
    if (transfer > kLeastTransfer * whole && not_there - there > transfer / 2 &&
        wait_for_transfer(fit, at.value)) {
      return {at.value - 1, std::max(0.0, at.low - 1), at.high - 1};
    }
  }
  return fit.eager_bytes;
}

}  // namespace

SharedBandwidth shared_bandwidth(std::vector<WeightedPoint> one_way,
                                 std::vector<WeightedPoint> both_ways) {
  constexpr std::size_t kLeastPoints = 3;
  const auto is_short = [](const WeightedPoint& p) { return p.x < kLongMessage; };
  std::erase_if(one_way, is_short);
  std::erase_if(both_ways, is_short);
  if (one_way.size() < kLeastPoints || both_ways.size() < kLeastPoints) return {};
  const AffineFunction alone = relative_line(one_way);
  // Least squares in the share u = 1 / factor of (y - offset - 2 u slope x) / y.
  double xy = 0, xx = 0;
  for (const WeightedPoint& p : both_ways) {
    const double x = 2 * alone.slope * p.x / p.y;
    xy += x * (p.y - alone.offset) / p.y;
    xx += x * x;
  }
  if (!(xy > 0)) return {};
  SharedBandwidth shared{.factor = xx / xy};
  double squares = 0;
  for (const WeightedPoint& p : both_ways) {
    const double model = alone.offset + 2 / shared.factor * alone.slope * p.x;
    squares += (model / p.y - 1) * (model / p.y - 1);
  }
  shared.residual = std::sqrt(squares / static_cast<double>(both_ways.size()));
  return shared;
}

double spread_of_starts(const SampleTable& round_trips) {
  std::vector<std::size_t> begins = round_trips.processes;
  if (begins.size() < 2) return 0;
  begins.push_back(round_trips.rounds.size());
  std::vector<double> ratios;
  for (std::size_t i = 0; i < round_trips.sizes.size(); ++i) {
    std::vector<double> medians;
    for (std::size_t p = 0; p + 1 < begins.size(); ++p) {
      std::vector<double> values;
      for (std::size_t r = begins[p]; r < begins[p + 1]; ++r) {
        if (!std::isnan(round_trips.rounds[r][i])) values.push_back(round_trips.rounds[r][i]);
      }
      if (!values.empty()) medians.push_back(sample_median(std::move(values)));
    }
    if (medians.size() < 2) continue;
    const auto [least, most] = std::ranges::minmax(medians);
    if (least > 0) ratios.push_back(most / least - 1);
  }
  return ratios.empty() ? 0 : sample_median(std::move(ratios));
}

const PiecewiseFit& LogGPSFit::one_way_of(Buffers buffers) const {
  const PiecewiseFit& fit = buffers == Buffers::reused ? one_way_reused
                            : buffers == Buffers::same ? one_way_same
                                                       : one_way;
  if (!fit.segments.empty()) return fit;
  throw Error("cannot fit messages of such buffers", "they were never measured",
              "Measure again with 'slackline calibrate -- mpirun -n 2'.");
}

std::vector<double> message_noise(const SampleTable& round_trips, double eager_bytes) {
  constexpr double kShort = 4096;
  constexpr std::size_t kPercent = 100;
  std::vector<double> deviations;
  for (const WeightedPoint& median : points_of(round_trips)) {
    if (median.x > std::min(kShort, eager_bytes)) continue;
    const auto at = std::ranges::find(round_trips.sizes, median.x) - round_trips.sizes.begin();
    for (const auto& round : round_trips.rounds) {
      const double value = round[static_cast<std::size_t>(at)];
      if (!std::isnan(value)) deviations.push_back(value - median.y);
    }
  }
  if (deviations.empty()) return {};
  const auto mean_of = [](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  };
  const double mean = mean_of(deviations);
  std::vector<double> percentiles;
  for (std::size_t i = 0; i <= kPercent; ++i) {
    percentiles.push_back(quantile(deviations, static_cast<double>(i) / kPercent));
  }
  // One long interruption must not count as a hundredth of all messages: draws between the last two
  // percentiles have the mean of what was measured there.
  const double high = percentiles[kPercent - 1];
  std::erase_if(deviations, [&](double d) { return d < high; });
  percentiles.back() = 2 * mean_of(deviations) - high;
  for (double& p : percentiles) p = mean / 2 + (p - mean) / std::numbers::sqrt2;
  return percentiles;
}

LogGPSFit fit_loggps(const CalibrationSamples& samples, const PiecewiseOptions& options) {
  LogGPSFit fit;
  fit_threshold(samples, fit);
  fit.one_way = fit_piecewise(halved(needed(samples, Quantity::round_trip)), options);
  fit.stream = fit_piecewise(time_per_message(samples), options);
  fit.send = fit_piecewise(needed(samples, Quantity::send), options);
  fit.receive = fit_piecewise(needed(samples, Quantity::receive), options);
  fit.isend = fit_piecewise(samples[Quantity::isend], options);
  fit.both_ways = fit_piecewise(samples[Quantity::both_ways], options);
  fit.one_way_reused = fit_piecewise(halved(samples[Quantity::round_trip_reused]), options);
  fit.one_way_same = fit_piecewise(halved(samples[Quantity::round_trip_same]), options);
  fit.stream_reused =
      fit_piecewise(time_per_message(samples[Quantity::stream_reused], samples.messages_reused,
                                     samples[Quantity::round_trip_reused]),
                    options);
  fit.spread = spread_of_starts(samples[Quantity::round_trip]);
  fit.asynchronous_bytes = transferred_before_receive(fit);
  fit_parameters(samples, options, fit);
  fit.test = plain_cost(samples[Quantity::test], options);
  fit.probe = plain_cost(samples[Quantity::probe], options);
  fit.clock = plain_cost(samples[Quantity::clock], options);
  fit.noise_ns = message_noise(samples[Quantity::round_trip], fit.eager_bytes.value);
  return fit;
}

}  // namespace slackline
