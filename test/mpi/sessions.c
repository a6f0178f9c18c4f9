/* sessions: a program without MPI_Init. In two sessions that overlap, all processes and then the
 * odd ones make a communicator and a ring of messages. Exit status 77: this MPI has no sessions. */
#include <mpi.h>
#include <stdio.h>

#if MPI_VERSION < 4
int main(void) {
  return 77;
}
#else

static void ring(MPI_Comm c) {
  int rank, size, in = -1, sum;
  MPI_Comm_rank(c, &rank);
  MPI_Comm_size(c, &size);
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, &in, 1, MPI_INT, (rank + size - 1) % size,
               1, c, MPI_STATUS_IGNORE);
  MPI_Allreduce(&in, &sum, 1, MPI_INT, MPI_SUM, c);
  if (sum != size * (size - 1) / 2) MPI_Abort(c, 1);
}

static void use(MPI_Session s) {
  MPI_Group world, odd;
  MPI_Comm c;
  int rank, size;
  MPI_Group_from_session_pset(s, "mpi://WORLD", &world);
  MPI_Comm_create_from_group(world, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &c);
  ring(c);
  MPI_Group_rank(world, &rank);
  MPI_Group_size(world, &size);
  MPI_Comm_free(&c);
  if (rank % 2 == 1) {
    int range[1][3] = {{1, size - 1, 2}};
    MPI_Group_range_incl(world, 1, range, &odd);
    MPI_Comm_create_from_group(odd, "odd", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &c);
    ring(c);
    MPI_Comm_free(&c);
    MPI_Group_free(&odd);
  }
  MPI_Group_free(&world);
}

int main(void) {
  MPI_Session first, second;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &first);
  use(first);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &second);
  use(second);
  MPI_Session_finalize(&first);
  MPI_Session_finalize(&second);
  return 0;
}
#endif
