/* Messages without content: an exchange in which every rank sends to every other one, although only
 * pairs of ranks have something for each other.
 *
 * After the solver XNS in "Verifying Causality between Distant Performance Phenomena in Large-Scale
 * MPI Applications", section 5.3: more than 90 % of its messages were empty, and made ranks wait
 * for others whose data they did not need. Each step is four stages of work and exchange, and a
 * barrier. In each stage one rank has three times the work, in the next stage another one. Because
 * of the empty messages all ranks wait for it in MPI_Recv, stage by stage. Without them only its
 * partner does, a step takes half the time, and part of the waiting moves to the barrier.
 *
 * usage: empty_messages [STEPS UNIT_US [needed]]     default: 5 4000
 *        on an even number of ranks, at least 8
 *
 * "needed" sends only messages that have content: what `whatif --set 'remove-messages max-bytes=0'`
 * predicts of the run without it.
 *
 * A unit of work is CPU time, or with EXAMPLE_WORK=pause a pause, in which ranks that share a
 * processor do not disturb each other. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "example_work.h"

enum { kValues = 128, kStages = 4 };

/* Adds a value of the partner to `sum`. */
static void exchange(int rank, int ranks, int only_needed, long* sum) {
  const int partner = rank ^ 1;
  const int own[kValues] = {rank};
  int theirs[kValues];
  for (int distance = 1; distance < ranks; ++distance) {
    const int to = (rank + distance) % ranks;
    const int from = (rank + ranks - distance) % ranks;
    if (to == partner || !only_needed)
      MPI_Send(own, to == partner ? kValues : 0, MPI_INT, to, 0, MPI_COMM_WORLD);
    if (from == partner || !only_needed)
      MPI_Recv(theirs, from == partner ? kValues : 0, MPI_INT, from, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  }
  *sum += theirs[0];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int steps = argc > 1 ? atoi(argv[1]) : 5;
  const double unit = argc > 2 ? atof(argv[2]) : 4000;
  const int only_needed = argc > 3 && strcmp(argv[3], "needed") == 0;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 8 || ranks % 2 != 0) {
    if (rank == 0) fprintf(stderr, "empty_messages: needs an even number of ranks, at least 8\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  long sum = 0;
  MPI_Barrier(MPI_COMM_WORLD);

  for (int step = 0; step < steps; ++step) {
    for (int stage = 0; stage < kStages; ++stage) {
      const int slow = (step + stage * (ranks / kStages)) % ranks;
      slackline_region_begin("update");
      work_us(rank == slow ? 3 * unit : unit);
      slackline_region_end("update");

      slackline_region_begin("exchange");
      exchange(rank, ranks, only_needed, &sum);
      slackline_region_end("exchange");
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  long all;
  MPI_Reduce(&sum, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("empty_messages: %d steps, sum %ld\n", steps, all);
  MPI_Finalize();
  return 0;
}
