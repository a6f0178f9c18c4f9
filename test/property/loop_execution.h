#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace slackline::testing {

/// How the calls of an iteration follow each other.
enum class IterationShape : std::uint8_t {
  reduction,        ///< computation, then an allreduce
  ring,             ///< a message to the next rank, then an allreduce
  halo,             ///< nonblocking messages with both neighbours, then an allreduce
  neighbours_only,  ///< the same without any collective
  solver,           ///< an inner loop of 2 to 6 rounds, then a broadcast
  exchanges,        ///< three equal exchanges and an allreduce; every tenth step a gather
  inner_loop,       ///< rounds of an exchange and two equal allreduces, then a larger allreduce
  residual,         ///< rounds of an exchange and an allreduce, then one more of the latter
  four_sums,        ///< four equal allreduces, each after a part of the computation
};

enum class Noise : std::uint8_t {
  independent,
  long_tails,
  drifting,
  spikes  ///< one value in a hundred is up to five times as long
};

/// What the recording knows of where calls stand in the program.
enum class CallPlaces : std::uint8_t { unknown, regions, functions };

/// A part of a loop in which iterations behave alike.
struct LoopPhase {
  std::size_t begin = 0;
  std::vector<double> computation{};  ///< by rank: times the usual
  double communication = 1;
  double without_processor = 0;  ///< probability that a rank loses its processor as it computes
};

/// A loop whose iterations are known.
struct LoopPlan {
  std::size_t iterations = 20;
  IterationShape shape = IterationShape::reduction;
  CallPlaces places = CallPlaces::unknown;
  double communication_ns = 10'000;  ///< of one call
  double sigma = 0;
  Noise noise = Noise::independent;
  std::vector<double> base{};  ///< computation by rank
  std::vector<LoopPhase> phases{};
  bool phases_of_rounds = false;  ///< phases change the inner loop's computation and no other
  std::vector<std::size_t> outliers{};
  double outlier_factor = 4;
  double prologue_ns = 0;          ///< before the loop and after it
  std::uint64_t least_rounds = 2;  ///< of an inner loop
  std::uint64_t most_rounds = 6;
  double round_computation = 0.005;  ///< of an iteration's
  double growth = 0;                 ///< of computation, per iteration
  bool exponential = false;          ///< growth of the iteration before; else of the first one
  std::int32_t growing_rank = -1;    ///< -1: all
  std::size_t output_every = 0;      ///< iterations; 0: no output
  bool output_calls = false;         ///< a gather, else only longer computation of rank 0
  double output_factor = 3;
};

/// Loops that ranks execute one after the other.
struct RunPlan {
  std::int32_t ranks = 2;
  std::vector<LoopPlan> loops{};
};

/// What a plan becomes: ranks in step by their messages.
struct ExecutedPlan {
  Trace trace{1, true};
  /// By loop: when each iteration begins, the ranks' median; and the last's end.
  std::vector<std::vector<std::int64_t>> begin_ns{};
};
ExecutedPlan execute(const RunPlan& plan, std::uint64_t seed);

/// Length of an iteration's computation before phases, ranks and noise change it.
inline constexpr double kComputation_ns = 100'000;

}  // namespace slackline::testing
