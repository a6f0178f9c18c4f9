#pragma once

#include <cstdint>
#include <vector>

#include "graph/execution_graph.h"
#include "timing/loggps.h"

namespace slackline {

__extension__ using Int128 = __int128;

/// A value of the parameter, exact: numerator / denominator ticks (see MakespanFunction::tick_fs).
/// Lowest terms, denominator positive.
struct Ticks {
  Int128 numerator = 0;
  Int128 denominator = 1;

  bool operator==(const Ticks&) const = default;
  /// Exact for any values, also where cross products would not fit.
  friend bool operator<(const Ticks& a, const Ticks& b);
};
Ticks make_ticks(Int128 numerator, Int128 denominator);

/// The cost of one path as a function of the parameter x: intercept + slope * x, in ticks.
struct PathLine {
  Int128 intercept = 0;
  std::int64_t slope = 0;

  bool operator==(const PathLine&) const = default;
  /// Value at `x`, times x.denominator.
  Int128 scaled_at(const Ticks& x) const { return intercept * x.denominator + slope * x.numerator; }
};

/// Which derivative is meant where pieces meet.
enum class Side : std::uint8_t { right, left };

/// The makespan T as a function of one LogGPS parameter, the others fixed.
///
/// T is the maximum of finitely many lines (one a path), so it is convex and piecewise linear with
/// integer slopes. line_at() finds, in one pass over the graph, the line that is highest at a given
/// value. Everything is exact: time is counted in ticks, the largest unit in which all fixed
/// parameters are whole, and values of x are rational; 64-bit integers are used where they suffice
/// and 128-bit ones where not.
///
/// One pass costs O(vertices + edges) and keeps 16 (or 24) bytes a vertex between passes.
/// Not thread-safe: passes reuse the object's memory.
class MakespanFunction {
 public:
  MakespanFunction(const ExecutionGraph& graph, const LogGPS& model, Parameter parameter);

  std::int64_t tick_fs() const { return tick_fs_; }
  Parameter parameter() const { return parameter_; }
  /// The model's own value of the parameter.
  Ticks base() const { return base_; }
  Ticks from_fs(std::int64_t fs) const { return make_ticks(fs, tick_fs_); }
  double to_ns(const Ticks& x) const;
  /// T in ns of a line's value at x.
  double value_ns(const PathLine& line, const Ticks& x) const;

  /// The line of T at x >= 0. Where several paths are equally long, the steepest (right derivative)
  /// or the flattest (left derivative).
  PathLine line_at(const Ticks& x, Side side = Side::right);
  /// The line that T follows for all large x: the most multiples of the parameter on any path.
  PathLine asymptote();

  /// What line_at() has found so far, in the order of asking; nothing is computed twice.
  struct Evaluation {
    Ticks x;
    Side side;
    PathLine line;
  };
  const std::vector<Evaluation>& evaluations() const { return evaluations_; }

  /// Passes made so far.
  std::uint64_t passes() const { return evaluations_.size(); }

 private:
  template <class Int>
  class ScaledCost;
  /// False when 64 bits do not suffice.
  PathLine evaluate(const Ticks& x, Side side);
  template <class Int>
  bool pass(const Ticks& x, Side side, std::vector<Int>& times, PathLine& line);

  const ExecutionGraph& graph_;
  Parameter parameter_;
  std::int64_t tick_fs_;
  std::int64_t tick_per_ns_;
  std::int64_t ticks_latency_;  // per multiple; 0 for the parameter that varies
  std::int64_t ticks_overhead_;
  std::int64_t ticks_byte_;
  Ticks base_;
  std::vector<Evaluation> evaluations_;
  std::vector<std::int64_t> slope_;
  std::vector<std::int64_t> time64_;
  std::vector<Int128> time128_;
};

}  // namespace slackline
