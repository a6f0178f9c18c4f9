/* Calls MPI from a function that calls itself as often as the command line says. */
#include <mpi.h>
#include <stdlib.h>

static volatile int reached;

__attribute__((noinline)) static void descend(int depth) {
  if (depth == 0) {
    MPI_Send(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  } else {
    descend(depth - 1);
  }
  reached = depth; /* no tail call */
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  descend(argc > 1 ? atoi(argv[1]) : 100); /* the call of main */
  MPI_Finalize();
  return 0;
}
