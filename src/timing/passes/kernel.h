#pragma once

#include <cstddef>
#include <cstdint>

// What the passes over a reduced graph work on. Plain arrays and no library types: these
// declarations are compiled for several instruction sets, and nothing inline may be shared between
// those.

namespace slackline::passes {

/// The largest of `edges` costs: state[source] + cost, into state[target].
struct Node {
  std::uint32_t target;
  std::uint32_t edges;
};

/// Cost by one parameter: fixed * q + multiples * p. 16 bytes; in order of the nodes.
struct Edge {
  std::int64_t fixed;
  std::uint32_t multiples;
  std::uint32_t source;
};

struct Program {
  const Node* nodes;
  std::size_t node_count;
  const Edge* edges;
};

/// What a chain of a program's edges pays of each kind.
struct Counts {
  std::int64_t nanoseconds;
  std::int64_t bytes;
  std::uint32_t latencies;
  std::uint32_t overheads;
};

/// Cost by all parameters of LogGPS. 16 bytes; in order of the nodes.
struct LogGPSEdge {
  std::uint32_t nanoseconds;  ///< or, if `latencies` is kWide, index into the wide counts
  std::uint32_t bytes;
  std::uint16_t latencies;
  std::uint16_t overheads;
  std::uint32_t source;
};
inline constexpr std::uint16_t kWide = 0xffff;

struct LogGPSProgram {
  const Node* nodes;
  std::size_t node_count;
  const LogGPSEdge* edges;
  const Counts* wide;
};

/// Price of one of each.
struct Rates {
  std::int64_t nanosecond;
  std::int64_t byte;
  std::int64_t latency;
  std::int64_t overhead;
};

inline constexpr std::size_t kLanes = 8;

/// Eight values at once: state is [slot][kLanes], q and p have one entry a lane.
using LanesPass = void (*)(const Program& program, std::int64_t* state, const std::int64_t* q,
                           const std::int64_t* p);
/// The same with one set of rates a lane.
using LogGPSLanesPass = void (*)(const LogGPSProgram& program, std::int64_t* state,
                                 const Rates* rates);

/// A value of the parameter, numerator / denominator, neither above 2^61. `x` is about that.
struct LineQuery {
  std::int64_t numerator;
  std::int64_t denominator;
  double x;
  double doubt;       ///< differences of two paths that are smaller may have the wrong sign
  std::int64_t side;  ///< 1: of equally long paths the steepest counts, -1: the flattest
};

/// Eight values at once, of any size: state is [slot][2][kLanes], a path's intercept and slope.
/// `fixed` and `multiples` are the rates of both.
using LinesPass = void (*)(const Program& program, std::int64_t* state, const LineQuery* queries);
using LogGPSLinesPass = void (*)(const LogGPSProgram& program, std::int64_t* state,
                                 const LineQuery* queries, const Rates& fixed,
                                 const Rates& multiples);

/// Cost of an edge in kLanes runs that differ: fixed + multiples * x. In order of the nodes.
struct SampledEdge {
  double fixed[kLanes];
  double multiples;
  std::uint32_t source;
};

struct SampledProgram {
  const Node* nodes;
  std::size_t node_count;
  const SampledEdge* edges;
};

/// Eight runs at once, each at its own x: state is [slot][2][kLanes], a path's cost and its
/// multiples, of equally long paths the most.
using SampledPass = void (*)(const SampledProgram& program, double* state, const double* x);

/// One LanesPass for each instruction set; lanes_pass() says which the machine can run.
void run_lanes_portable(const Program& program, std::int64_t* state, const std::int64_t* q,
                        const std::int64_t* p);
void run_lanes_avx2(const Program& program, std::int64_t* state, const std::int64_t* q,
                    const std::int64_t* p);
void run_lanes_avx512(const Program& program, std::int64_t* state, const std::int64_t* q,
                      const std::int64_t* p);
/// The same for LogGPSLanesPass.
void run_loggps_lanes_portable(const LogGPSProgram& program, std::int64_t* state,
                               const Rates* rates);
void run_loggps_lanes_avx2(const LogGPSProgram& program, std::int64_t* state, const Rates* rates);
void run_loggps_lanes_avx512(const LogGPSProgram& program, std::int64_t* state, const Rates* rates);

/// The same for LinesPass and LogGPSLinesPass.
void run_lines_portable(const Program& program, std::int64_t* state, const LineQuery* queries);
void run_lines_avx2(const Program& program, std::int64_t* state, const LineQuery* queries);
void run_lines_avx512(const Program& program, std::int64_t* state, const LineQuery* queries);
void run_loggps_lines_portable(const LogGPSProgram& program, std::int64_t* state,
                               const LineQuery* queries, const Rates& fixed,
                               const Rates& multiples);
void run_loggps_lines_avx2(const LogGPSProgram& program, std::int64_t* state,
                           const LineQuery* queries, const Rates& fixed, const Rates& multiples);
void run_loggps_lines_avx512(const LogGPSProgram& program, std::int64_t* state,
                             const LineQuery* queries, const Rates& fixed, const Rates& multiples);

/// The same for SampledPass.
void run_sampled_portable(const SampledProgram& program, double* state, const double* x);
void run_sampled_avx2(const SampledProgram& program, double* state, const double* x);
void run_sampled_avx512(const SampledProgram& program, double* state, const double* x);

/// The best of these for the machine that runs this.
LanesPass lanes_pass();
LogGPSLanesPass loggps_lanes_pass();
LinesPass lines_pass();
LogGPSLinesPass loggps_lines_pass();
SampledPass sampled_pass();

/// One value.
void run_single(const Program& program, std::int64_t* state, std::int64_t q, std::int64_t p);
void run_single(const LogGPSProgram& program, std::int64_t* state, const Rates& rates);

/// Works out the costs of all edges: fixed and multiples by their rates.
void price_edges(const LogGPSProgram& program, std::size_t edge_count, const Rates& fixed,
                 const Rates& multiples, Edge* edges);

/// One value with the slope beside it: state is [slot][2] (cost at p / q times q, multiples);
/// `steeper`: which of equally long paths counts.
void run_with_slope(const Program& program, std::int64_t* state, std::int64_t q, std::int64_t p,
                    bool steeper);
void run_with_slope(const LogGPSProgram& program, std::int64_t* state, const Rates& value,
                    const Rates& slope, bool steeper);

}  // namespace slackline::passes
