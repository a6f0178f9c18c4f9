// Scan and exscan: rank i gets the combination of the vectors of the ranks 0..i (exscan: 0..i-1).
//
// The two need the same messages, since what rank i hears from below is the exscan's result.
//
// - linear: a line; rank i passes on 0..i to rank i + 1: P - 1 messages, P - 1 rounds (Open MPI).
// - recursive_doubling: partners rank ^ 2^k swap what their groups have; ceil(log2 P) rounds
// (MPICH).
// - direct: every rank sends its own vector to all higher ones, and waits for the messages in the
//   order of ranks: P(P-1)/2 messages (SimGrid's replay).

#include "graph/collectives/algorithms.h"

namespace slackline::collectives::scan {

void linear(StepWriter& w) {
  if (w.rank() > 0) w.recv(w.rank() - 1, w.bytes());
  if (w.rank() + 1 < w.size()) w.send(w.rank() + 1, w.bytes());
}

void recursive_doubling(StepWriter& w) {
  for (std::int32_t mask = 1; mask < w.size(); mask *= 2) {
    const std::int32_t partner = w.rank() ^ mask;
    if (partner < w.size()) w.exchange(partner, w.bytes(), w.bytes());
  }
}

void direct(StepWriter& w) {
  std::vector<StepWriter::Request> posted;
  for (std::int32_t r = 0; r < w.rank(); ++r) posted.push_back(w.irecv(r, w.bytes()));
  for (std::int32_t r = w.rank() + 1; r < w.size(); ++r) posted.push_back(w.isend(r, w.bytes()));
  for (const StepWriter::Request request : posted) w.wait(request);
}

}  // namespace slackline::collectives::scan
