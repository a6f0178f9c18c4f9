/* Programs that an on-line simulation has to end with a reason: argv[1] says which. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  int rank, value = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(what, "abort") == 0 && rank == 1) MPI_Abort(MPI_COMM_WORLD, 7);
  if (strcmp(what, "exit") == 0 && rank == 1) exit(4);
  if (strcmp(what, "crash") == 0 && rank == 1) abort();
  if (strcmp(what, "spawn") == 0) {
    MPI_Comm others;
    MPI_Comm_spawn("program", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others,
                   MPI_ERRCODES_IGNORE);
  }
  if (strcmp(what, "deadlock") == 0 && rank == 1)
    MPI_Recv(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (strcmp(what, "probe") == 0 && rank == 1)
    MPI_Probe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return strcmp(what, "status") == 0 && rank == 1 ? 5 : 0;
}
