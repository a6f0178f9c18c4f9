// Barriers: nobody leaves before everybody has come.
//
// A barrier is an allreduce of nothing: at the end each rank must have heard, through some chain of
// empty messages, from every other one. ceil(log2 P) rounds are the least possible, since what a
// rank knows at most doubles in a round.
//
// - dissemination (Hensgen, Finkel, Manber 1988; "bruck" in Open MPI): in round k each rank tells
//   the one 2^k ahead and hears from the one 2^k behind; ceil(log2 P) rounds for any P.
// - recursive_doubling: pairs at distance 2^k exchange. Ranks beyond the largest power of two hand
//   in first and are told last: floor(log2 P) rounds, + 2 when P is no power of two.
// - tree: binomial gather to rank 0, then binomial release: 2 ceil(log2 P), but only 2(P - 1)
//   messages in all.
// - linear: the same through rank 0 alone: two rounds, whose messages rank 0 handles one by one.
// - double_ring: a token goes round twice; 2P messages one after the other.

#include "graph/collectives/algorithms.h"

namespace slackline::collectives::barrier {

void dissemination(StepWriter& w) {
  for (std::int32_t distance = 1; distance < w.size(); distance *= 2) {
    w.exchange(w.shift(w.rank(), distance), 0, w.shift(w.rank(), -distance), 0);
  }
}

void recursive_doubling(StepWriter& w) {
  const std::int32_t core = power_of_two_below(w.size());
  const std::int32_t extra = w.size() - core;
  if (w.rank() >= core) return w.exchange(w.rank() - core, 0, 0);
  if (w.rank() < extra) w.recv(w.rank() + core, 0);
  for (std::int32_t mask = 1; mask < core; mask *= 2) w.exchange(w.rank() ^ mask, 0, 0);
  if (w.rank() < extra) w.send(w.rank() + core, 0);
}

void tree(StepWriter& w) {
  std::int32_t jump = 1;
  for (; jump < w.size() && (w.rank() & jump) == 0; jump *= 2) {
    if (w.rank() + jump < w.size()) w.recv(w.rank() + jump, 0);
  }
  if (w.rank() != 0) {
    w.send(w.rank() - jump, 0);
    w.recv(w.rank() - jump, 0);
  }
  for (jump /= 2; jump > 0; jump /= 2) {
    if (w.rank() + jump < w.size()) w.send(w.rank() + jump, 0);
  }
}

void linear(StepWriter& w) {
  if (w.rank() != 0) {
    w.send(0, 0);
    w.recv(0, 0);
    return;
  }
  for (std::int32_t r = 1; r < w.size(); ++r) w.irecv(r, 0);
  w.wait_all();
  for (std::int32_t r = 1; r < w.size(); ++r) w.isend(r, 0);
  w.wait_all();
}

void two_procs(StepWriter& w) {
  if (w.size() != 2) return w.instead("recursive_doubling", recursive_doubling);
  w.exchange(1 - w.rank(), 0, 0);
}

void double_ring(StepWriter& w) {
  const std::int32_t left = w.shift(w.rank(), -1);
  const std::int32_t right = w.shift(w.rank(), 1);
  for (int lap = 0; lap < 2; ++lap) {
    if (w.rank() != 0) w.recv(left, 0);
    w.send(right, 0);
    if (w.rank() == 0) w.recv(left, 0);
  }
}

}  // namespace slackline::collectives::barrier
