#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "calibration/robust.h"
#include "calls/disturbance.h"

namespace slackline {

/// What an operation took per rank at one added latency: the median of the runs, and what the
/// model says.
struct OperationTime {
  std::string name;  ///< "MPI_Waitall", "computation"
  double measured_ns = 0;
  double predicted_ns = 0;
};

/// All that is known at one added latency.
struct ValidationPoint {
  double added_ns = 0;
  std::vector<double> measured_ns{};   ///< makespan, one for each run
  std::vector<double> predicted_ns{};  ///< one for each recording without added latency
  std::vector<OperationTime> operations{};
};

/// A tolerance as the model predicts it: the added latency at which the run is that much slower.
struct PredictedTolerance {
  double degradation = 0;  ///< 0.01: T grows by 1 %
  /// One for each recording without added latency; empty: unlimited.
  std::vector<std::optional<double>> added_ns{};
};

/// Measured runs beside predictions from the runs without added latency.
struct ValidationSamples {
  std::vector<ValidationPoint> points{};  ///< ascending, the first one without added latency
  std::vector<PredictedTolerance> tolerances{};
  ComparedRuns runs{};  ///< all, with those that are left out
};

/// A prediction that is off by no more than this agrees with the measurement.
inline constexpr double kAgreementBound = 0.05;

/// Medians over runs, with 95 % intervals (bootstrap over the runs of each point, and over the
/// recordings from which is predicted).
struct ValidatedPoint {
  double added_ns = 0;
  Estimate measured_ns{};
  Estimate predicted_ns{};
  Estimate error{};  ///< predicted / measured - 1

  /// False where the error exceeds kAgreementBound by more than the runs scatter: its interval lies
  /// outside of the bound.
  bool agrees() const { return error.low <= kAgreementBound && error.high >= -kAgreementBound; }
};

struct ValidatedTolerance {
  double degradation = 0;
  std::optional<Estimate> predicted_ns{};  ///< empty: unlimited
  /// Where the line through the measured medians crosses the bound; empty: beyond what was
  /// measured.
  std::optional<Estimate> measured_ns{};
};

struct Validation {
  std::vector<ValidatedPoint> points{};
  std::vector<ValidatedTolerance> tolerances{};
  /// Root of the mean of the squared relative errors of all points (LLAMP, Section III-B).
  Estimate rrmse{};
  /// The same for what is added to the run without added latency: T(dL) / T(0).
  Estimate relative_rrmse{};
  Estimate bias{};  ///< mean of the relative errors
};

/// Deterministic for a seed. O(replicates * runs).
Validation validate(const ValidationSamples& samples, std::size_t replicates, std::uint64_t seed);

}  // namespace slackline
