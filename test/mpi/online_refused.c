/* Programs that an on-line simulation has to end with a reason: argv[1] says which. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Keeps its place on the stack while it waits. */
__attribute__((noinline)) static void receive_late(int* value) {
  MPI_Recv(value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  ++*value;
}

__attribute__((noinline)) static void wait_late(int* value) {
  MPI_Request request;
  MPI_Irecv(value, 1, MPI_INT, 2, 8, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  ++*value;
}

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
  /* As if a user had sent it to the simulator, whose child this is. */
  if (strcmp(what, "interrupt") == 0) {
    for (int i = 0; i < 1000; ++i) {
      if (i == 500 && rank == 1) kill(getppid(), SIGTERM);
      MPI_Barrier(MPI_COMM_WORLD);
    }
    pause();
  }
  if (strcmp(what, "deadlock") == 0 && rank == 1) receive_late(&value);
  if (strcmp(what, "wait") == 0 && rank == 1) wait_late(&value);
  if (strcmp(what, "barrier") == 0 && rank != 1) MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(what, "probe") == 0 && rank == 1)
    MPI_Probe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return strcmp(what, "status") == 0 && rank == 1 ? 5 : 0;
}
