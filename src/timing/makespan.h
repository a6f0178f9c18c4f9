#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "graph/execution_graph.h"
#include "timing/cost/linear_cost.h"
#include "timing/cost/loggps.h"
#include "timing/cost/ticks.h"
#include "timing/path_program.h"
#include "timing/reduction/reduced_graph.h"

namespace slackline {

/// Nanoseconds of `scaled` / `denominator` ticks.
double ns_of_ticks(Int128 scaled, Int128 denominator, std::int64_t tick_fs);

/// An ExecutionGraph reduced once, for questions about any parameter of LogGPS.
class ReducedProgram {
 public:
  explicit ReducedProgram(const ExecutionGraph& graph);
  explicit ReducedProgram(ReducedLogGPS reduced);

  /// The graph with one parameter left.
  PathProgram bind(const LogGPSCost& cost) const;
  /// Empty for sums that only 128 bits hold; then each bind() reduces the graph anew.
  const std::optional<ReducedLogGPS>& reduced() const { return reduced_; }

 private:
  const ExecutionGraph* graph_ = nullptr;
  std::optional<ReducedLogGPS> reduced_;
};

/// The makespan T as a function of one parameter, the others fixed.
///
/// T is the maximum of finitely many lines (one a path), so it is convex and piecewise linear with
/// integer slopes. line_at() finds, in one pass over the reduced graph, the line that is highest at
/// a given value. Everything is exact: time is counted in ticks, the largest unit in which all
/// fixed parameters are whole, and values of x are rational.
///
/// Not thread-safe: it remembers what was asked.
class MakespanFunction {
 public:
  /// LogGPS with one parameter varying; reduces the graph, O(vertices + edges).
  MakespanFunction(const ExecutionGraph& graph, const LogGPS& model, Parameter parameter);
  /// The same on a graph that has been reduced. O(edges that remain).
  MakespanFunction(const ReducedProgram& program, const LogGPS& model, Parameter parameter);
  /// Any cost; reduces the graph for it.
  MakespanFunction(const ExecutionGraph& graph, const LinearCost& cost);

  std::int64_t tick_fs() const { return tick_fs_; }
  /// The model's own value of the parameter.
  Ticks base() const { return base_; }
  Ticks from_fs(std::int64_t fs) const { return make_ticks(fs, tick_fs_); }
  double to_ns(const Ticks& x) const;
  /// T in ns of a line's value at x.
  double value_ns(const PathLine& line, const Ticks& x) const;

  /// The line of T at x >= 0. Where several paths are equally long, the steepest (right derivative)
  /// or the flattest (left derivative). At 0, where T begins, there is the right one only.
  PathLine line_at(const Ticks& x, Side side = Side::right);
  /// The same for several values in as few passes as possible; `threads`: 0 takes all.
  std::vector<PathLine> lines_at(std::span<const PathProgram::Query> queries, unsigned threads = 1);
  /// All lines of T in [from, to], in order, neither twice; from < to. Empty when `stop`, which is
  /// asked now and then by several threads, says true, or when they cannot be found in this way
  /// (numbers too large for 64 bits). Some tens of passes, however many there are; counted as one.
  std::optional<std::vector<PathLine>> lines_between(const Ticks& from, const Ticks& to,
                                                     const std::function<bool()>& stop);
  /// The line that T follows for all large x: the most multiples of the parameter on any path.
  PathLine asymptote();

  /// What has been found so far, in the order of asking; nothing is computed twice.
  struct Evaluation {
    Ticks x;
    Side side;
    PathLine line;
  };
  const std::vector<Evaluation>& evaluations() const { return evaluations_; }
  /// Values computed so far, and passes over intervals.
  std::uint64_t passes() const { return evaluations_.size() + interval_passes_; }

  const PathProgram& program() const { return program_; }

 private:
  MakespanFunction(PathProgram program, const LinearCost& cost);
  const Evaluation* known(const Ticks& x, Side side) const;

  PathProgram program_;
  std::int64_t tick_fs_;
  Ticks base_;
  std::vector<Evaluation> evaluations_;
  std::uint64_t interval_passes_ = 0;
};

}  // namespace slackline
