#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "trace/operation.h"

namespace slackline::collectives {

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

}  // namespace slackline::collectives
