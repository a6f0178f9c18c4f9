#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "graph/collectives/schedule.h"
#include "trace/operation.h"

namespace slackline::collectives {

inline constexpr std::int32_t kAnyRanks = std::numeric_limits<std::int32_t>::max();

/// Which algorithms a library takes for a number of ranks, by size.
struct RankRow {
  std::int32_t ranks;           ///< the row is for fewer, or no more: as each table says
  std::string_view algorithms;  ///< as algorithm_for_bytes() reads them
};

/// What a text such as "ring<8 rdb<=4096 pair" has for `bytes`: ring below 8 bytes, rdb up to 4096,
/// else pair. Linear in the text, which must end with a word without a limit.
std::string_view algorithm_for_bytes(std::string_view algorithms, std::uint64_t bytes);

/// Which algorithm is for up to `ranks` ranks with `ranks_a_node` on each node, by size in bytes:
/// "number<size .. number".
struct IntelRow {
  std::int32_t ranks_a_node;
  std::int32_t ranks;
  std::string_view algorithms;
};

/// Sorted by ranks a node (1, 2, 4, 8, 16), then by ranks; empty for operations without a table.
/// Source: SimGrid 4.1's impi selector.
std::span<const IntelRow> intel_rows(Operation operation);

// SimGrid's selectors, one function each; `call` as for smpi_decision.

SmpiDecision smpi_default_rules(const CollectiveCall& call);
SmpiDecision smpi_openmpi_rules(const CollectiveCall& call);
SmpiDecision smpi_mpich_rules(const CollectiveCall& call);
SmpiDecision smpi_mvapich2_rules(const CollectiveCall& call);
SmpiDecision smpi_intel_rules(const CollectiveCall& call);

/// The row that SimGrid calls so, with whether it looks at nodes, or what it nests does.
SmpiDecision smpi_row(const CollectiveCall& call, std::string_view smpi_name);

/// All nodes of the call have as many ranks.
bool nodes_uniform(const CollectiveCall& call);
/// Ranks of a node where all have as many, else 1.
std::int32_t uniform_ranks_a_node(const CollectiveCall& call);

}  // namespace slackline::collectives
