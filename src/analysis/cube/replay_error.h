#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/report.h"
#include "trace/trace.h"

namespace slackline {

/// A time in two runs of one program.
struct ComparedTime {
  std::string name;        ///< an operation, "computation", or a call path
  std::int32_t rank = -1;  ///< -1: the sum over ranks
  double measured_ns = 0;
  double replayed_ns = 0;

  double difference_ns() const { return replayed_ns - measured_ns; }
};

/// How far a replay of an unchanged program is from the run that it replays ("Verifying Causal
/// Connections between Distant Performance Phenomena", Hermanns et al. 2008, section 5.1).
struct ReplayError {
  double measured_ns = 0;  ///< the analysed interval (calls/run_span.h)
  double replayed_ns = 0;
  /// The difference of the lengths as a fraction of the measured one; negative: the replay was
  /// shorter.
  double total = 0;
  /// The absolute differences of all (call path, rank), added, as a fraction of the measured time
  /// of all ranks: errors of different sign do not make up for each other.
  double by_call_path = 0;
  std::vector<ComparedTime> operations{};  ///< the largest difference first
  std::vector<ComparedTime> call_paths{};  ///< by call path and rank, the largest difference first
};

/// Both traces have times, and equally many ranks. Linear.
ReplayError replay_error(const Trace& measured, const Trace& replayed);

}  // namespace slackline
