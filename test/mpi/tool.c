/* A profiling tool by MPI's own interface (PMPI): counts sends, and tells them at the end. Built as
 * a library to be preloaded, and with -DPROGRAM as a program with such wrappers inside. */
#include <mpi.h>
#include <stdio.h>

static int sends;

int MPI_Sendrecv_replace(void* buffer, int count, MPI_Datatype type, int destination, int send_tag,
                         int source, int receive_tag, MPI_Comm comm, MPI_Status* status) {
  ++sends;
  return PMPI_Sendrecv_replace(buffer, count, type, destination, send_tag, source, receive_tag,
                               comm, status);
}

#ifdef PROGRAM
int main(int argc, char** argv) {
  int value = 0;
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 10; ++i) {
    MPI_Sendrecv_replace(&value, 1, MPI_INT, 0, 1, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  printf("program counted %d\n", sends);
  MPI_Finalize();
  return 0;
}
#else
int MPI_Finalize(void) {
  printf("tool counted %d\n", sends);
  return PMPI_Finalize();
}
#endif
