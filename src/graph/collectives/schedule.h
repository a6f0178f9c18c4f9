#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "graph/collectives/arrivals.h"
#include "trace/operation.h"

namespace slackline {

/// One step of a collective as one rank performs it. Ranks are those of the communicator.
/// Steps of a rank run in order; isend and irecv only start, wait_all waits for everything started
/// since the last wait_all; send and recv are complete when they return. Messages between two ranks
/// of one call match in order. `wait` is for one request: the `peer`-th (from 0) of those started
/// and not yet waited for, oldest first; only callers that set `single_waits` get it.
/// Only callers that give `arrivals` get the last ones: `look` looks for a message of `peer`
/// (MPI_Iprobe) and adds to the record whether there is one, and so does `poll`, by a rank that
/// goes on only when it finds some; `clock` asks for the time (MPI_Wtime); `pause` takes `bytes`
/// nanoseconds; after `more` the steps are expanded again, and go on behind those that are done.
struct CollectiveStep {
  enum class Kind : std::uint8_t {
    send,
    recv,
    isend,
    irecv,
    wait_all,
    wait,
    look,
    poll,
    clock,
    pause,
    more
  };
  Kind kind;
  /// The receive takes the message whoever sends it; its send says so too, and `peer` is -1 here.
  bool anonymous = false;
  std::int32_t peer = -1;  ///< never the rank itself (but see OwnCounts): copies are no steps
  std::uint64_t bytes = 0;

  bool operator==(const CollectiveStep&) const = default;
};

struct CollectiveAlgorithm;
struct CollectiveCall;

/// What a selector decides: the algorithm (nullptr: it does not know), and whether SimGrid first
/// sets up its picture of the nodes (graph/collectives/smp.h) when the communicator has none yet.
struct SmpiDecision {
  const CollectiveAlgorithm* algorithm = nullptr;
  bool needs_setup = false;
  /// For algorithms in two levels, what is performed among the leaders and in the nodes, when
  /// `tuned`; nullptr: MPICH's choice.
  const CollectiveAlgorithm* among_leaders = nullptr;
  const CollectiveAlgorithm* in_nodes = nullptr;
  bool tuned = false;
};
using ChooseCollective = std::function<SmpiDecision(const CollectiveCall&)>;

/// What `decision` says beside the algorithm, as a part of the call.
void apply(const SmpiDecision& decision, CollectiveCall& call);

/// Which communicators know how their ranks lie on nodes: that of a call (part 1), and those that
/// SimGrid makes of part p: of its leaders (2p) and of the ranks of a node (2p + 1).
class NodeKnowledge {
 public:
  explicit NodeKnowledge(std::uint64_t parts = 0) : parts_(parts) {}

  /// Parts deeper than algorithms go count as known.
  bool has(std::uint32_t part) const { return part >= 64 || (parts_ >> part & 1) != 0; }
  /// False if it has it already.
  bool find_out(std::uint32_t part) {
    if (has(part)) return false;
    parts_ |= std::uint64_t{1} << part;
    return true;
  }
  /// Bit p: part p.
  std::uint64_t parts() const { return parts_; }

 private:
  std::uint64_t parts_;
};

/// One collective call, as all its ranks agree on it. Sizes in bytes, as in trace/wire.h.
struct CollectiveCall {
  Operation operation = Operation::barrier;  ///< a blocking collective (blocking_form)
  std::int32_t size = 1;                     ///< ranks in the communicator
  std::int32_t root = 0;                     ///< of rooted ones
  /// The vector, or one block; alltoallv, alltoallw: what a rank sends in all. The largest over the
  /// ranks, or their mean where the counts of the latter are not known.
  std::uint64_t bytes = 0;
  std::uint32_t element_bytes = 1;  ///< granularity at which vectors can be split, >= 1
  bool commutative = true;
  /// gatherv, scatterv, allgatherv, reduce_scatter: bytes of each rank's block (size entries).
  /// Empty: every block has `bytes`.
  std::span<const std::int64_t> counts{};
  /// Set to the name of the algorithm that performs the call where the chosen one does not apply to
  /// it (too few elements or ranks); nullptr: nobody asks.
  std::string_view* stand_in = nullptr;
  /// The caller understands Kind::wait. Pipelined algorithms then post a receive ahead exactly as
  /// the libraries do; without, they post it as early as wait_all allows. Same messages either way.
  bool single_waits = false;

  // What only simulations of SimGrid's way set.

  /// The node of every rank (size entries); empty: each has its own. Algorithms for SMP nodes look.
  std::span<const std::int32_t> nodes{};
  /// The algorithm or who chose it looks at the nodes (SmpiDecision::needs_setup).
  bool needs_setup = false;
  /// What is known of nodes. The first algorithm on a part that needs its nodes, perhaps inside of
  /// another, begins with the messages by which SimGrid finds out about them. nullptr: nobody does.
  NodeKnowledge* knowledge = nullptr;
  std::uint32_t part = 1;  ///< whose ranks they are, as NodeKnowledge counts
  /// MPICH's choice is not to split the ranks (any more).
  bool smp_part = false;
  /// The caller performs messages to oneself; without, they are left out.
  bool self_messages = false;
  /// Who has come when rank 0 looks; nullptr: all have, and looking takes no time.
  Arrivals* arrivals = nullptr;
  /// The decision that chose the algorithm, when it says more than that.
  const CollectiveAlgorithm* among_leaders = nullptr;
  const CollectiveAlgorithm* in_nodes = nullptr;
  bool tuned = false;
  /// Who decides the algorithm of a collective inside of a collective; nullptr: SimGrid's default.
  const ChooseCollective* choose = nullptr;
};

/// What one rank brings to a call beyond what all agree on: alltoallv/w and neighbor_* (layout of
/// the args in trace/wire.h). Empty otherwise. Neighbours come out of a schedule numbered as they
/// are in here, be it by the communicator or by the world; only negative ones (MPI_PROC_NULL) are
/// left out.
struct OwnCounts {
  std::span<const std::int64_t> args{};
};

/// Appends the steps of `rank` to `steps`. Pure: depends on its arguments only.
using Expand = void (*)(const CollectiveCall& call, std::int32_t rank, OwnCounts own,
                        std::vector<CollectiveStep>& steps);

/// A named algorithm for one operation.
struct CollectiveAlgorithm {
  Operation operation;
  std::string_view name;         ///< "ring", "recursive_doubling"
  std::string_view smpi_name;    ///< SimGrid's name for the same one, or empty
  std::string_view description;  ///< one line for --help and doc/collectives.md
  Expand expand;
  bool uses_nodes = false;  ///< looks at CollectiveCall::nodes
};

/// All algorithms, grouped by operation; the visible list is in graph/collectives/table.cc.
std::span<const CollectiveAlgorithm> collective_algorithms();
/// The algorithm of that operation with that name or SimGrid name; nullptr if there is none.
/// Names win over SimGrid's; '-' counts as '_' and case does not matter.
const CollectiveAlgorithm* find_algorithm(Operation operation, std::string_view name);
/// The algorithm that SimGrid calls so, whatever it is called here ("ring" of allgather differs).
const CollectiveAlgorithm* find_smpi_algorithm(Operation operation, std::string_view smpi_name);

}  // namespace slackline
