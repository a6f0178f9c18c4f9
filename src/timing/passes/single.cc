#include "timing/passes/kernel.h"

namespace slackline::passes {

LanesPass lanes_pass() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0) {
    return run_lanes_avx512;
  }
  if (__builtin_cpu_supports("avx2") != 0) return run_lanes_avx2;
#endif
  return run_lanes_portable;
}

void run_single(const Program& program, std::int64_t* state, std::int64_t q, std::int64_t p) {
  const Edge* e = program.edges;
  const Node* last = program.nodes + program.node_count;
  for (const Node* node = program.nodes; node != last; ++node) {
    std::int64_t latest = 0;
    for (const Edge* end = e + node->edges; e != end; ++e) {
      const std::int64_t candidate = state[e->source] + e->fixed * q + e->multiples * p;
      latest = candidate > latest ? candidate : latest;
    }
    state[node->target] = latest;
  }
}

void run_with_slope(const Program& program, std::int64_t* state, std::int64_t q, std::int64_t p,
                    bool steeper) {
  const std::int64_t sign = steeper ? 1 : -1;
  const Edge* e = program.edges;
  const Node* last = program.nodes + program.node_count;
  for (const Node* node = program.nodes; node != last; ++node) {
    std::int64_t latest = -1;
    std::int64_t slope = 0;
    for (const Edge* end = e + node->edges; e != end; ++e) {
      const std::int64_t* from = state + 2 * std::size_t{e->source};
      const std::int64_t candidate = from[0] + e->fixed * q + e->multiples * p;
      const std::int64_t candidate_slope = from[1] + e->multiples;
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

}  // namespace slackline::passes
