#include "graph/collectives/smpi_choice.h"

#include "graph/collectives/algorithms.h"

namespace slackline {

const CollectiveAlgorithm* smpi_algorithm(std::string_view name, const CollectiveCall& call) {
  if (const CollectiveAlgorithm* found = find_smpi_algorithm(call.operation, name)) return found;
  if (name == "ompi") return &collectives::openmpi_decision(call);
  if (name == "mpich") return &collectives::mpich_decision(call);
  if (name == "default") return &collectives::openmpi_decision(call);
  return find_algorithm(call.operation, name);
}

}  // namespace slackline
