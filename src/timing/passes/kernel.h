#pragma once

#include <cstddef>
#include <cstdint>

// What the passes over a reduced graph work on. Plain arrays and no library types: these
// declarations are compiled for several instruction sets, and nothing inline may be shared between
// those.

namespace slackline::passes {

/// The largest of `edges` costs: state[source] + fixed * q + multiples * p, into state[target].
struct Node {
  std::uint32_t target;
  std::uint32_t edges;
};

/// 16 bytes; in order of the nodes.
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

inline constexpr std::size_t kLanes = 8;

/// Eight values at once: state is [slot][kLanes], q and p have one entry a lane.
using LanesPass = void (*)(const Program& program, std::int64_t* state, const std::int64_t* q,
                           const std::int64_t* p);

void run_lanes_portable(const Program& program, std::int64_t* state, const std::int64_t* q,
                        const std::int64_t* p);
void run_lanes_avx2(const Program& program, std::int64_t* state, const std::int64_t* q,
                    const std::int64_t* p);
void run_lanes_avx512(const Program& program, std::int64_t* state, const std::int64_t* q,
                      const std::int64_t* p);

/// The best of these for the machine that runs this.
LanesPass lanes_pass();

/// One value.
void run_single(const Program& program, std::int64_t* state, std::int64_t q, std::int64_t p);

/// One value with the slope beside it: state is [slot][2] (cost at p / q times q, multiples);
/// `steeper`: which of equally long paths counts.
void run_with_slope(const Program& program, std::int64_t* state, std::int64_t q, std::int64_t p,
                    bool steeper);

}  // namespace slackline::passes
