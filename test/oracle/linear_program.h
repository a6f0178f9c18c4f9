#pragma once

#include <optional>
#include <string>

#include "oracle/time_system.h"

namespace slackline::oracle {

/// What LLAMP's Algorithm 1 and its flipped form say, solved by CLP. Times in nanoseconds (of G:
/// nanoseconds a byte).
struct LinearProgramAnswer {
  double makespan_ns;
  double lambda;  ///< reduced cost of the parameter
};

/// Minimise t where the parameter is at least its value in `model`.
LinearProgramAnswer minimise_makespan(const TimeSystem& system, const LogGPS& model,
                                      Parameter parameter);

/// The same of a program in a file of the LP format, whose parameter has that name there.
LinearProgramAnswer minimise_file(const std::string& path, const std::string& parameter);

/// Maximise the parameter where t <= bound_ns. Empty: unbounded.
std::optional<double> maximise_parameter(const TimeSystem& system, const LogGPS& model,
                                         Parameter parameter, double bound_ns);

}  // namespace slackline::oracle
