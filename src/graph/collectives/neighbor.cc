// Neighbourhood collectives: a message to every out-neighbour, one from every in-neighbour.
//
// The topology belongs to the communicator; what a rank's record holds are its own neighbours with
// their bytes: n_out, (rank, bytes)*, n_in, (rank, bytes)*. The libraries have one algorithm: all
// receives, all sends, one wait. Two neighbours that are the same rank (a periodic dimension of
// two) match in order. MPI_PROC_NULL is skipped; a record that ends early counts as far as it goes.

#include <algorithm>
#include <limits>

#include "graph/collectives/algorithms.h"

namespace slackline::collectives::neighbor {

namespace {

using Kind = CollectiveStep::Kind;

/// Takes one list (n, then n pairs) off the front of `args`.
std::span<const std::int64_t> take_list(std::span<const std::int64_t>& args) {
  if (args.empty()) return {};
  const auto pairs_there = static_cast<std::int64_t>((args.size() - 1) / 2);
  const auto pairs =
      static_cast<std::size_t>(std::clamp<std::int64_t>(args.front(), 0, pairs_there));
  const auto list = args.subspan(1, 2 * pairs);
  args = args.subspan(1 + 2 * pairs);
  return list;
}

void start_all(StepWriter& w, Kind kind, std::span<const std::int64_t> list) {
  for (std::size_t i = 0; i + 1 < list.size(); i += 2) {
    if (list[i] < 0 || list[i] > std::numeric_limits<std::int32_t>::max()) continue;
    w.start_with_neighbor(kind, static_cast<std::int32_t>(list[i]),
                          static_cast<std::uint64_t>(std::max<std::int64_t>(list[i + 1], 0)));
  }
}

}  // namespace

void linear(StepWriter& w) {
  std::span<const std::int64_t> args = w.own();
  const auto out = take_list(args);
  const auto in = take_list(args);
  start_all(w, Kind::irecv, in);
  start_all(w, Kind::isend, out);
  w.wait_all();
}

}  // namespace slackline::collectives::neighbor
