#pragma once

#include <span>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace slackline::paraver {

/// The hosts of the trace as nodes; ranks without a known host share one.
struct Nodes {
  std::vector<std::string> names;
  std::vector<std::int64_t> processors;  ///< ranks on each
  std::vector<std::size_t> of_rank;      ///< index into names
};
Nodes nodes_of(const Trace& trace);

/// Names of event types and values, states and their colours: the .pcf.
std::string pcf_text(const Trace& trace);
/// Names of processors, nodes and threads: the .row.
std::string row_text(const Trace& trace, const Nodes& nodes,
                     std::span<const std::uint32_t> threads);
/// A Paraver configuration of one window.
std::string mpi_calls_cfg();
std::string user_functions_cfg();
std::string useful_duration_cfg();

}  // namespace slackline::paraver
