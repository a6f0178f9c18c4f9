#pragma once

#include <cstdint>

#include "graph/execution_graph.h"
#include "timing/cost/loggps.h"
#include "timing/cost/ticks.h"

namespace slackline {

/// The cost of an edge as a function of one parameter x >= 0: fixed + multiples * x. Neither part
/// is negative.
struct LinearTerm {
  Int128 fixed_ticks = 0;
  std::int64_t multiples = 0;
};

/// What edges cost when one parameter varies and all others are fixed. The seam between the
/// questions (makespan, envelope, tolerance) and the models: LogGPS, latencies per pair of ranks,
/// the wires of a topology.
class LinearCost {
 public:
  virtual ~LinearCost() = default;

  /// The largest unit, in femtoseconds, in which all fixed costs are whole. Divides 1 ns.
  virtual std::int64_t tick_fs() const = 0;
  /// The model's own value of the parameter.
  virtual std::int64_t base_fs() const = 0;
  /// False: all pairs of ranks are alike, and term() need not be given them.
  virtual bool depends_on_ranks() const { return false; }
  /// Cost of `e`, an edge between vertices of these ranks.
  virtual LinearTerm term(const Edge& e, std::int32_t from_rank, std::int32_t to_rank) const = 0;

 protected:
  LinearCost() = default;
  LinearCost(const LinearCost&) = default;
  LinearCost& operator=(const LinearCost&) = default;
};

/// LogGPS with one of L, o, G varying.
class LogGPSCost : public LinearCost {
 public:
  LogGPSCost(const LogGPS& model, Parameter parameter);

  std::int64_t tick_fs() const override { return tick_fs_; }
  std::int64_t base_fs() const override { return base_fs_; }
  LinearTerm term(const Edge& e, std::int32_t from_rank, std::int32_t to_rank) const override;

 private:
  Parameter parameter_;
  std::int64_t tick_fs_;
  std::int64_t base_fs_;
  std::int64_t ticks_per_ns_;
  std::int64_t latency_;  // ticks; 0 for the parameter that varies
  std::int64_t overhead_;
  std::int64_t byte_;
};

}  // namespace slackline
