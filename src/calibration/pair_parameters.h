#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "calibration/loggps_fit.h"
#include "calibration/samples.h"
#include "report/report.h"
#include "report/typed_report.h"

namespace slackline {

/// L and G of the messages between two ranks, in either direction: those of ranks 0 and 1, which
/// the fit has, and what the pair's round trips differ from theirs.
struct PairParameters {
  std::int32_t from = 0;
  std::int32_t to = 0;
  double latency_ns = 0;
  double gap_ns_per_byte = 0;
  bool latency_below_zero = false;  ///< its round trip leaves nothing for L beside o: L is 0
  bool gap_below_zero = false;      ///< its long messages took no longer than short ones: G is 0
  /// A rank was without its processor in most repetitions: they measured its scheduler.
  bool disturbed = false;
};

/// From medians over all repetitions, in the order of `from` and `to`; empty: there were two ranks.
std::vector<PairParameters> pair_parameters(const CalibrationSamples& samples,
                                            const LogGPSFit& fit);

/// What --latency-matrix and --gap-matrix read, with the ranks' hosts in comments.
std::string latency_matrix_text(const CalibrationSamples& samples,
                                const std::vector<PairParameters>& pairs);
std::string gap_matrix_text(const CalibrationSamples& samples,
                            const std::vector<PairParameters>& pairs);

using PairParametersJson = JsonOf<struct PairParametersJsonTag>;
const JsonType& declared_type(const PairParametersJsonTag*);
/// Adds a section with the fastest, median and slowest pairs; nothing of no pairs.
std::optional<PairParametersJson> add_pair_parameters(std::vector<Section>& sections,
                                                      Findings& findings,
                                                      const std::vector<PairParameters>& pairs);

}  // namespace slackline
