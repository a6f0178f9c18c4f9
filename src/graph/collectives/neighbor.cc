// Neighbourhood collectives: a message to every out-neighbour, one from every in-neighbour.
//
// The topology belongs to the communicator; what a rank's record holds are its own neighbours with
// their bytes: n_out, (rank, bytes)*, n_in, (rank, bytes)*. The libraries have one algorithm: all
// receives, all sends, one wait. Two neighbours that are the same rank (a periodic dimension of
// two) match in order. MPI_PROC_NULL, the rank itself and ranks outside the communicator are
// skipped; a record that ends early counts as far as it goes.

#include <algorithm>

#include "graph/collectives/algorithms.h"

namespace slackline::collectives::neighbor {

namespace {

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

template <class Visit>
void for_each_neighbor(const StepWriter& w, std::span<const std::int64_t> list, Visit visit) {
  for (std::size_t i = 0; i + 1 < list.size(); i += 2) {
    if (list[i] < 0 || list[i] >= w.size()) continue;
    visit(static_cast<std::int32_t>(list[i]),
          static_cast<std::uint64_t>(std::max<std::int64_t>(list[i + 1], 0)));
  }
}

}  // namespace

void linear(StepWriter& w) {
  std::span<const std::int64_t> args = w.own();
  const auto out = take_list(args);
  const auto in = take_list(args);
  for_each_neighbor(w, in, [&](std::int32_t peer, std::uint64_t bytes) { w.irecv(peer, bytes); });
  for_each_neighbor(w, out, [&](std::int32_t peer, std::uint64_t bytes) { w.isend(peer, bytes); });
  w.wait_all();
}

}  // namespace slackline::collectives::neighbor
