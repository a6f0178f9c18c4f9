#include "timing/passes/kernel.h"

namespace slackline::passes {
namespace {

std::int64_t price(const Edge& e, std::int64_t q, std::int64_t p) {
  return e.fixed * q + e.multiples * p;
}

std::int64_t price(const LogGPSProgram& program, const LogGPSEdge& e, const Rates& r) {
  if (__builtin_expect(static_cast<long>(e.latencies == kWide), 0L) != 0) {
    const Counts& c = program.wide[e.nanoseconds];
    return c.nanoseconds * r.nanosecond + c.bytes * r.byte + c.latencies * r.latency +
           c.overheads * r.overhead;
  }
  return e.nanoseconds * r.nanosecond + e.bytes * r.byte + e.latencies * r.latency +
         e.overheads * r.overhead;
}

template <class Program, class Value>
void run(const Program& program, std::int64_t* state, Value value) {
  auto e = program.edges;
  const Node* last = program.nodes + program.node_count;
  for (const Node* node = program.nodes; node != last; ++node) {
    std::int64_t latest = 0;
    for (const auto end = e + node->edges; e != end; ++e) {
      const std::int64_t candidate = state[e->source] + value(*e);
      latest = candidate > latest ? candidate : latest;
    }
    state[node->target] = latest;
  }
}

template <class Program, class Value, class Slope>
void run_pairs(const Program& program, std::int64_t* state, Value value, Slope multiples,
               bool steeper) {
  const std::int64_t sign = steeper ? 1 : -1;
  auto e = program.edges;
  const Node* last = program.nodes + program.node_count;
  for (const Node* node = program.nodes; node != last; ++node) {
    std::int64_t latest = -1;
    std::int64_t slope = 0;
    for (const auto end = e + node->edges; e != end; ++e) {
      const std::int64_t* from = state + 2 * std::size_t{e->source};
      const std::int64_t candidate = from[0] + value(*e);
      const std::int64_t candidate_slope = from[1] + multiples(*e);
      if (candidate > latest || (candidate == latest && sign * candidate_slope > sign * slope)) {
        latest = candidate;
        slope = candidate_slope;
      }
    }
    std::int64_t* to = state + 2 * std::size_t{node->target};
    to[0] = latest;
    to[1] = slope;
  }
}

}  // namespace

LanesPass lanes_pass() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0) {
    return run_lanes_avx512;
  }
  if (__builtin_cpu_supports("avx2") != 0) return run_lanes_avx2;
#endif
  return run_lanes_portable;
}

LogGPSLanesPass loggps_lanes_pass() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0) {
    return run_loggps_lanes_avx512;
  }
  if (__builtin_cpu_supports("avx2") != 0) return run_loggps_lanes_avx2;
#endif
  return run_loggps_lanes_portable;
}

LinesPass lines_pass() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0) {
    return run_lines_avx512;
  }
  if (__builtin_cpu_supports("avx2") != 0) return run_lines_avx2;
#endif
  return run_lines_portable;
}

LogGPSLinesPass loggps_lines_pass() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0) {
    return run_loggps_lines_avx512;
  }
  if (__builtin_cpu_supports("avx2") != 0) return run_loggps_lines_avx2;
#endif
  return run_loggps_lines_portable;
}

SampledPass sampled_pass() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0) {
    return run_sampled_avx512;
  }
  if (__builtin_cpu_supports("avx2") != 0) return run_sampled_avx2;
#endif
  return run_sampled_portable;
}

void run_single(const Program& program, std::int64_t* state, std::int64_t q, std::int64_t p) {
  run(program, state, [&](const Edge& e) { return price(e, q, p); });
}

void run_single(const LogGPSProgram& program, std::int64_t* state, const Rates& rates) {
  run(program, state, [&](const LogGPSEdge& e) { return price(program, e, rates); });
}

void price_edges(const LogGPSProgram& program, std::size_t edge_count, const Rates& fixed,
                 const Rates& multiples, Edge* edges) {
  for (std::size_t i = 0; i < edge_count; ++i) {
    const LogGPSEdge& e = program.edges[i];
    edges[i] = {price(program, e, fixed), static_cast<std::uint32_t>(price(program, e, multiples)),
                e.source};
  }
}

void run_with_slope(const Program& program, std::int64_t* state, std::int64_t q, std::int64_t p,
                    bool steeper) {
  run_pairs(
      program, state, [&](const Edge& e) { return price(e, q, p); },
      [](const Edge& e) { return std::int64_t{e.multiples}; }, steeper);
}

void run_with_slope(const LogGPSProgram& program, std::int64_t* state, const Rates& value,
                    const Rates& slope, bool steeper) {
  run_pairs(
      program, state, [&](const LogGPSEdge& e) { return price(program, e, value); },
      [&](const LogGPSEdge& e) { return price(program, e, slope); }, steeper);
}

}  // namespace slackline::passes
