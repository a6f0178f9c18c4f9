#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "calls/run_part.h"
#include "graph/collectives/choice.h"
#include "graph/execution_graph.h"
#include "trace/trace.h"

namespace slackline {

/// What messages of each size take beside L and the overheads, where it was measured: in bytes,
/// each of which costs G. So T remains linear in G, which scales the measured times.
class TransferCosts {
 public:
  /// From that size on to the next piece's, a message is as expensive as offset + slope * size
  /// bytes.
  struct Piece {
    std::uint64_t from_bytes = 0;
    double offset_bytes = 0;
    double slope = 1;
  };

  /// LogGPS: a message of s bytes costs s.
  TransferCosts() = default;
  /// Ascending; the first one also holds for smaller messages.
  explicit TransferCosts(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {}

  /// The cost of a message of that size; at least 1 for one that is not empty.
  std::uint64_t bytes(std::uint64_t size) const;
  bool empty() const { return pieces_.empty(); }
  const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  std::vector<Piece> pieces_;
};

/// What happens to a message over the eager threshold S (LogGPS). Source: LLAMP, appendix B,
/// Figure 14.
enum class Rendezvous : std::uint8_t {
  handshake,  ///< request, answer, data: three crossings (LogGPS)
  rdma_read,  ///< the receiver reads, then acknowledges (LLAMP's Figure 14)
  sync,       ///< data leaves at once, the sender completes with the receiver (LLAMP's code)
  loggopsim,  ///< data leaves at once, the sender completes at the match (LogGOPSim)
};

/// The name that parse_rendezvous() reads.
std::string_view to_string(Rendezvous protocol);
/// Throws usage Error for an unknown name.
Rendezvous parse_rendezvous(std::string_view name);

struct GraphOptions {
  std::uint64_t eager_threshold_bytes = 256 * 1024;  ///< S: messages of at most S bytes are eager
  Rendezvous rendezvous = Rendezvous::handshake;
  CollectiveChoice collectives{};
  bool serial_links =
      false;  ///< a rank's link carries one longer message at a time (link_occupancy.h)
  TransferCosts transfer{};       ///< of one message, from the sender's hand-over to the receiver
  TransferCosts link{};           ///< for how long a message occupies a link
  std::size_t most_vertices = 0;  ///< a larger graph throws GraphTooLarge; 0: no limit
};

/// A graph with more vertices than its options allow.
class GraphTooLarge : public Error {
 public:
  GraphTooLarge() : Error("cannot build the execution graph", "it has too many vertices") {}
};

/// Matches all messages of `trace`, expands its collectives, and orders everything.
///
/// Never fails for a defect of the trace: receives without a message, collectives that some ranks
/// never entered and cycles (a program that deadlocks under this S) are let go on and counted in
/// the graph's findings. Cost: linear in calls plus the collectives' messages; memory about 20
/// bytes a vertex-edge pair beside the trace.
ExecutionGraph build_graph(const Trace& trace, const GraphOptions& options);

/// The same of a part of a run, whose start vertices lie where the part before it ends, and not at
/// time 0. Calls that count in the part before, as the first ones do, have no vertices. Edges that
/// pay for bytes may have another pair of ranks than in the graph of the whole run. Vertices, edges
/// and messages of all parts are those of the whole run, except for the start vertices of later
/// parts, and a vertex with two edges for each rank whose link has its first message in a later
/// part.
ExecutionGraph build_graph(const Trace& trace, const GraphOptions& options, const RunPart& part);

}  // namespace slackline
