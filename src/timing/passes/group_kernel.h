#pragma once

#include <cstddef>
#include <cstdint>

#include "timing/passes/kernel.h"

// Passes over a reduced graph of which each lane reduces the costs of a group of its own. Plain
// arrays for the same reason as in kernel.h.

namespace slackline::passes {

/// A part of an edge's cost, in ticks, below 2^53, and the lanes whose groups have it.
struct GroupPart {
  double ticks;
  std::uint32_t lanes;  ///< one bit a lane
};

/// An edge with its whole cost; its `parts` follow those of the edge before.
struct GroupEdge {
  double ticks;
  std::uint32_t source;
  std::uint32_t parts;
};

struct GroupProgram {
  const Node* nodes;
  std::size_t node_count;
  const GroupEdge* edges;
  const GroupPart* parts;
};

/// What each lane asks: the longest path when the costs of its group are reduced by the share
/// p / q.
struct GroupLanes {
  double q[kLanes];    ///< whole, below 2^53
  double p[kLanes];    ///< whole, 0 to q
  double tie[kLanes];  ///< of equally long paths the one with most (1) or least (-1) of the group
  bool exact;          ///< no product of q and a path's cost leaves 53 bits
};

/// The longest path of each lane, exactly: its whole cost and the group's part of it, both before
/// the reduction. `state` is [slot][2][kLanes], slot 0 zero. `decided`, unless null, is
/// [node][kLanes]: which edge of the node is on its longest path.
using GroupPathsPass = void (*)(const GroupProgram& program, const GroupLanes& lanes, double* state,
                                std::uint32_t* decided);
/// The length of that path times q alone, for lanes that are `exact`. `state` is [slot][kLanes].
using GroupLengthsPass = void (*)(const GroupProgram& program, const GroupLanes& lanes,
                                  double* state);

struct GroupPasses {
  GroupPathsPass paths;
  GroupLengthsPass lengths;
};
/// One for each instruction set.
GroupPasses portable_group_passes();
GroupPasses avx2_group_passes();
GroupPasses avx512_group_passes();

/// The best of these for the machine that runs this.
GroupPasses group_passes();

}  // namespace slackline::passes
