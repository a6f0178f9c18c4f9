// Clock offsets by a binomial tree of ping-pongs.
//
// In round k, every rank below 2^k serves the rank 2^k above it, so that all ranks know their
// offset to rank 0 after log2(P) rounds. A client sends, the server answers with its time, and
// the client assumes that the answer was written halfway between its sending and receiving.
// However asymmetric the two ways are, the true offset is within half the round trip of that, so
// the best of a few tens of tries is kept and its half round trip is the stated error; errors add
// up along the tree. (Cristian 1989; the smallest round trip as in mpi-graph and Scalasca.)
// A pair gives up after two milliseconds: on oversubscribed cores a try can cost a time slice.

#include "synchronise.h"

#include "clock.h"

namespace slackline::record {

namespace {

constexpr int kTag = 1;
constexpr int kTries = 40;
constexpr int kFewestTries = 6;
constexpr std::int64_t kBudgetNs = 2'000'000;

std::int64_t now() {
  return static_cast<std::int64_t>(now_ns());
}

void send(const std::int64_t* values, int n, int to, MPI_Comm comm) {
  PMPI_Send(values, n, MPI_INT64_T, to, kTag, comm);
}

void receive(std::int64_t* values, int n, int from, MPI_Comm comm) {
  PMPI_Recv(values, n, MPI_INT64_T, from, kTag, comm, MPI_STATUS_IGNORE);
}

void serve(int client, const slk_clock_sample& own, MPI_Comm comm) {
  for (;;) {
    std::int64_t more = 0;
    receive(&more, 1, client, comm);
    if (more == 0) break;
    const std::int64_t time = now();
    send(&time, 1, client, comm);
  }
  const std::int64_t known[2] = {own.offset_ns, own.error_ns};
  send(known, 2, client, comm);
}

slk_clock_sample ask(int server, MPI_Comm comm) {
  slk_clock_sample best{};
  std::int64_t best_trip = INT64_MAX;
  const std::int64_t started = now();
  for (int i = 0; i < kTries; ++i) {
    const std::int64_t more = 1;
    std::int64_t served = 0;
    const std::int64_t sent = now();
    send(&more, 1, server, comm);
    receive(&served, 1, server, comm);
    const std::int64_t received = now();
    const std::int64_t trip = received - sent;
    if (trip < best_trip) {
      best_trip = trip;
      best.local_ns = sent + trip / 2;
      best.offset_ns = served - best.local_ns;
    }
    if (i + 1 >= kFewestTries && received - started > kBudgetNs) break;
  }
  const std::int64_t no_more = 0;
  send(&no_more, 1, server, comm);
  std::int64_t known[2] = {0, 0};
  receive(known, 2, server, comm);
  best.offset_ns += known[0];
  best.error_ns = (best_trip + 1) / 2 + known[1];
  return best;
}

}  // namespace

slk_clock_sample measure_clock(MPI_Comm comm) {
  int rank = 0;
  int size = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
  slk_clock_sample own{};
  own.local_ns = now();
  for (int step = 1; step < size; step *= 2) {
    if (rank < step && rank + step < size) serve(rank + step, own, comm);
    if (rank >= step && rank < 2 * step) own = ask(rank - step, comm);
  }
  own.reference_rank = 0;
  own.valid = 1;
  return own;
}

}  // namespace slackline::record
