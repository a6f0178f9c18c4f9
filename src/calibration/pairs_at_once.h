#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "calibration/loggps_fit.h"
#include "calibration/samples.h"
#include "report/object.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/typed_report.h"

namespace slackline {

/// Long round trips of several pairs of ranks at the same time, and the bandwidth that they share:
/// k pairs take the time of one, whose bytes take max(1, k / factor) of theirs.
struct PairsAtOnce {
  struct Point {
    std::int32_t pairs = 0;
    double round_trip_ns = 0;  ///< median of what a pair takes on average
    double share = 1;          ///< of its bandwidth alone that a pair then has, from that median
    double model_ns = 0;       ///< by the factor
    bool disturbed = false;    ///< a rank was without its processor in most repetitions
  };
  std::vector<Point> points{};  ///< by number of pairs, from 1 on
  /// What all pairs have together over the bandwidth of one; empty: as many times as there were
  /// pairs, or fewer than two numbers of pairs were measured.
  std::optional<double> factor{};
  double residual = 0;                   ///< root mean square of model_ns / round_trip_ns - 1
  std::int32_t placed = 0, started = 0;  ///< pairs with a processor for each rank, and all
};

/// Empty when at most three ranks were started. Disturbed points are no part of the fit. The factor
/// has the least relative squares among all from 1 to the number of pairs. O(n log n).
std::optional<PairsAtOnce> pairs_at_once(const CalibrationSamples& samples, const LogGPSFit& fit);

extern const Rows<PairsAtOnce> kPairsAtOnce;
using PairsAtOnceJson = JsonBy<kPairsAtOnce>;
/// Adds a section with the curve, and Findings of what could not be measured.
std::optional<PairsAtOnceJson> add_pairs_at_once(std::vector<Section>& sections, Findings& findings,
                                                 const std::optional<PairsAtOnce>& pairs);

}  // namespace slackline
