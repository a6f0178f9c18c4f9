/* Times collectives, and exchanges with a neighbour, in simulated time, to be run under SimGrid's
   smpirun and on line.

   usage: collectives OPERATION:BYTES...   (BYTES: of one rank's block)
   Each rank prints "OPERATION:BYTES RANK BEGIN END" for each, in seconds, after a barrier. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ranks, rank;
static int *send_buffer, *receive_buffer;
static int *counts, *places;

static void allocate(int count) {
  const size_t all = sizeof(int) * (size_t)ranks * (size_t)(count > 0 ? count : 1);
  send_buffer = calloc(1, all);
  receive_buffer = calloc(1, all);
  counts = calloc((size_t)ranks, sizeof(int));
  places = calloc((size_t)ranks, sizeof(int));
  for (int r = 0; r < ranks; ++r) {
    counts[r] = count;
    places[r] = r * count;
  }
}

static void perform(const char* what, int n) {
  const MPI_Datatype t = MPI_INT;
  const MPI_Comm c = MPI_COMM_WORLD;
  int *in = send_buffer, *out = receive_buffer;
  if (!strcmp(what, "ring")) {
    const int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
    MPI_Sendrecv(in, n, t, next, 0, out, n, t, previous, 0, c, MPI_STATUS_IGNORE);
  }
  if (!strcmp(what, "pingpong") && rank < 2) {
    if (rank == 0) MPI_Send(in, n, t, 1, 0, c);
    MPI_Recv(out, n, t, 1 - rank, 0, c, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(in, n, t, 0, 0, c);
  }
  if (!strcmp(what, "barrier")) MPI_Barrier(c);
  if (!strcmp(what, "bcast")) MPI_Bcast(in, n, t, 0, c);
  if (!strcmp(what, "reduce")) MPI_Reduce(in, out, n, t, MPI_SUM, 0, c);
  if (!strcmp(what, "allreduce")) MPI_Allreduce(in, out, n, t, MPI_SUM, c);
  if (!strcmp(what, "scan")) MPI_Scan(in, out, n, t, MPI_SUM, c);
  if (!strcmp(what, "exscan")) MPI_Exscan(in, out, n, t, MPI_SUM, c);
  if (!strcmp(what, "gather")) MPI_Gather(in, n, t, out, n, t, 0, c);
  if (!strcmp(what, "gatherv")) MPI_Gatherv(in, n, t, out, counts, places, t, 0, c);
  if (!strcmp(what, "scatter")) MPI_Scatter(in, n, t, out, n, t, 0, c);
  if (!strcmp(what, "scatterv")) MPI_Scatterv(in, counts, places, t, out, n, t, 0, c);
  if (!strcmp(what, "allgather")) MPI_Allgather(in, n, t, out, n, t, c);
  if (!strcmp(what, "allgatherv")) MPI_Allgatherv(in, n, t, out, counts, places, t, c);
  if (!strcmp(what, "alltoall")) MPI_Alltoall(in, n, t, out, n, t, c);
  if (!strcmp(what, "alltoallv")) MPI_Alltoallv(in, counts, places, t, out, counts, places, t, c);
  if (!strcmp(what, "reduce_scatter")) MPI_Reduce_scatter(in, out, counts, t, MPI_SUM, c);
  if (!strcmp(what, "reduce_scatter_block")) MPI_Reduce_scatter_block(in, out, n, t, MPI_SUM, c);
}

int main(int argc, char** argv) {
  setvbuf(stdout, NULL, _IOLBF, 0); /* ranks share it */
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 1; i < argc; ++i) {
    char what[64];
    int bytes = 0;
    if (sscanf(argv[i], "%63[^:]:%d", what, &bytes) != 2) return 2;
    allocate(bytes / (int)sizeof(int));
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    perform(what, bytes / (int)sizeof(int));
    const double end = MPI_Wtime();
    printf("%s %d %.12f %.12f\n", argv[i], rank, begin, end);
    free(send_buffer);
    free(receive_buffer);
    free(counts);
    free(places);
  }
  MPI_Finalize();
  return 0;
}
