#pragma once

#include <cstdint>
#include <vector>

#include "timing/cost/loggps.h"

namespace slackline::oracle {

__extension__ using Wide = __int128;

/// A cost as a linear form: ns + latency * L + overhead * o + bytes * G.
struct Cost {
  std::int64_t ns = 0;
  std::int64_t latency = 0;
  std::int64_t overhead = 0;
  std::int64_t bytes = 0;

  Cost operator+(const Cost& other) const {
    return {ns + other.ns, latency + other.latency, overhead + other.overhead, bytes + other.bytes};
  }
  /// In femtoseconds.
  Wide at(const LogGPS& model) const;
  std::int64_t multiples(Parameter parameter) const;
};

/// A system of equations over points in time: each is the maximum of earlier points plus costs (or
/// 0, if it has no terms). Both the reference model and an ExecutionGraph can be written so, and
/// what is computed from it (values, linear program, all paths) shares no code with src/timing.
struct TimeSystem {
  using Point = std::uint32_t;

  struct Term {
    Point from;
    Cost cost;
  };

  std::vector<std::vector<Term>> points;
  std::vector<Term> ends;  ///< when each rank's program ends

  Point zero();
  Point maximum(std::vector<Term> terms);
};

/// Value of every point, in femtoseconds.
std::vector<Wide> evaluate(const TimeSystem& system, const LogGPS& model);
/// When each rank ends, in femtoseconds.
std::vector<Wide> end_times(const TimeSystem& system, const LogGPS& model);
/// The latest of these.
Wide makespan(const TimeSystem& system, const LogGPS& model);

}  // namespace slackline::oracle
