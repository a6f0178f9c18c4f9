#include <fmt/format.h>

#include <map>

#include "analysis/placement/place.h"

namespace slackline {
namespace {

/// Slots of a host are taken in the order of ranks.
std::string openmpi_rank_file(const NodePlacement& placement) {
  std::string text;
  std::map<std::int32_t, std::int32_t> next_slot;
  for (std::size_t rank = 0; rank < placement.node_of_rank.size(); ++rank) {
    const std::int32_t node = placement.node_of_rank[rank];
    text += fmt::format("rank {}={} slot={}\n", rank, placement.host(node), next_slot[node]++);
  }
  return text;
}

/// mpiexec fills hosts in the order of lines; neighbours on one host share a line.
std::string mpich_host_file(const NodePlacement& placement) {
  std::string text;
  const std::vector<std::int32_t>& nodes = placement.node_of_rank;
  for (std::size_t rank = 0; rank < nodes.size();) {
    std::size_t end = rank;
    while (end < nodes.size() && nodes[end] == nodes[rank]) ++end;
    text += fmt::format("{}:{}\n", placement.host(nodes[rank]), end - rank);
    rank = end;
  }
  return text;
}

std::string slurm_host_file(const NodePlacement& placement) {
  std::string text;
  for (const std::int32_t node : placement.node_of_rank) text += placement.host(node) + "\n";
  return text;
}

}  // namespace

std::string write_rank_file(const NodePlacement& placement, RankFileKind kind) {
  switch (kind) {
    case RankFileKind::openmpi:
      return openmpi_rank_file(placement);
    case RankFileKind::mpich:
      return mpich_host_file(placement);
    case RankFileKind::slurm:
      return slurm_host_file(placement);
  }
  return {};
}

}  // namespace slackline
