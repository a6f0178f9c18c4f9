/* Three parts, of which the first and the last behave alike: iterations that compute, messages
 * between which rank 1 computes alone, and the first ones again. */
#include <mpi.h>
#include <stdlib.h>

enum { kIterations = 300, kMessages = 200, kBytes = 1 << 16 };

static void compute(double ms) {
  const double end = MPI_Wtime() + ms / 1e3;
  while (MPI_Wtime() < end) {
  }
}

static void loop(void) {
  double sum = 1, all = 0;
  for (int i = 0; i < kIterations; ++i) {
    compute(1);
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char* sent = calloc(2, kBytes);
  loop();
  for (int i = 0; i < kMessages; ++i) {
    if (rank == 1) compute(2);
    MPI_Sendrecv(sent, kBytes, MPI_BYTE, (rank + 1) % size, 0, sent + kBytes, kBytes, MPI_BYTE,
                 (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (i % 20 == 0) MPI_Barrier(MPI_COMM_WORLD);
  }
  loop();
  free(sent);
  MPI_Finalize();
  return 0;
}
