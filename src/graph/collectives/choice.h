#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "graph/collectives/schedule.h"

namespace slackline {

/// Which algorithm a collective call is expanded by. Explicit rules first, then a library's own
/// decision for that operation, size and number of ranks.
class CollectiveChoice {
 public:
  enum class Selector : std::uint8_t { automatic, openmpi, mpich };

  struct Rule {
    Operation operation;
    std::uint64_t from_bytes = 0;  ///< holds for from_bytes <= bytes < to_bytes
    std::uint64_t to_bytes = std::numeric_limits<std::uint64_t>::max();
    const CollectiveAlgorithm* algorithm;
  };

  /// Parses "openmpi", "mpich", "auto", or rules such as "allreduce=ring",
  /// "bcast=binomial:..64KiB,bcast=chain:64KiB..", all joined by commas. Later rules win.
  /// Throws usage Error that lists the known names.
  void add(std::string_view text);

  /// `automatic` becomes the selector of the library that made the trace; Open MPI if unknown.
  void resolve_automatic(std::string_view mpi_library);

  /// `call.operation` is a blocking collective.
  const CollectiveAlgorithm& algorithm(const CollectiveCall& call) const;
  /// The algorithm that an explicit rule says; nullptr: none speaks of such a call.
  const CollectiveAlgorithm* ruled(const CollectiveCall& call) const;

  Selector selector() const { return selector_; }
  /// In the form that add() reads.
  std::string to_string() const;

 private:
  Selector selector_ = Selector::automatic;
  std::vector<Rule> rules_;
};

/// What SimGrid's SMPI performs `call` by, under `name`: its name for an algorithm of that
/// operation, or a selector (default, ompi, mpich, mvapich2, impi; automatic counts as default). A
/// final row of the table, never a selector; nullptr for an unknown name. Where SimGrid's own would
/// fail (a number of ranks it does not take) the rows have an answer. Source: SimGrid 4.1's
/// smpi/colls.
SmpiDecision smpi_decision(std::string_view name, const CollectiveCall& call);

}  // namespace slackline
