#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slackline {

/// Which node each rank runs on.
struct NodePlacement {
  std::vector<std::int32_t> node_of_rank;
  std::vector<std::string> host_names;  ///< by node; empty: node0, node1, ...

  std::string host(std::int32_t node) const;
};

/// Ranks 0 to n-1 on node 0, and so on; or one rank on each node in turn.
std::vector<std::int32_t> block_placement(std::int32_t ranks, std::int32_t ranks_per_node);
std::vector<std::int32_t> cyclic_placement(std::int32_t ranks, std::int32_t ranks_per_node);

/// Reads which host each rank runs on: a line a rank with the host's name (SLURM_HOSTFILE;
/// or "host:n" for n ranks, as for MPICH's mpiexec -f), or Open MPI's rank file ("rank 3=host
/// slot=1"). Blank lines and # comments are skipped. `hosts` lists the nodes in the topology's
/// order; if it is empty a host is a node by its number ("12", or the digits at its end: "node0012"
/// is 12) when all have one, else by order of appearance. Throws Error with the line.
NodePlacement parse_placement(std::string_view text, const std::string& name, std::int32_t ranks,
                              const std::vector<std::string>& hosts);

/// A host a line; "host:slots" or "host slots=n" are read as the host.
std::vector<std::string> parse_hosts(std::string_view text);

}  // namespace slackline
