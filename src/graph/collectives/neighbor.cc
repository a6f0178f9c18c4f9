// Neighbourhood collectives: a message to every out-neighbour, one from every in-neighbour.
//
// The topology belongs to the communicator; what a rank's record holds are its own neighbours with
// their bytes (calls/neighbourhood.h). The libraries have one algorithm: all receives, all sends,
// one wait. Two neighbours that are the same rank (a periodic dimension of two) match in order.
// MPI_PROC_NULL is skipped.

#include <algorithm>
#include <limits>

#include "calls/neighbourhood.h"
#include "graph/collectives/algorithms.h"

namespace slackline::collectives::neighbor {

namespace {

using Kind = CollectiveStep::Kind;

void start_all(StepWriter& w, Kind kind, const Neighbourhood::List& list) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto [rank, bytes] = list[i];
    if (rank < 0 || rank > std::numeric_limits<std::int32_t>::max()) continue;
    w.start_with_neighbor(kind, static_cast<std::int32_t>(rank),
                          static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0)));
  }
}

}  // namespace

void linear(StepWriter& w) {
  const Neighbourhood neighbours(w.own());
  start_all(w, Kind::irecv, neighbours.in());
  start_all(w, Kind::isend, neighbours.out());
  w.wait_all();
}

}  // namespace slackline::collectives::neighbor
