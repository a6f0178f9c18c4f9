/* plans: persistent collectives that every rank starts in an order of its own, as MPI 4 allows.
 * Exit status 77: this MPI is older. */
#include <mpi.h>

#if MPI_VERSION < 4
int main(void) {
  return 77;
}
#else

enum { kPlans = 3, kRounds = 4 };

int main(int argc, char** argv) {
  int rank, size, value = 0, sum = 0;
  MPI_Request plans[kPlans];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Bcast_init(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &plans[0]);
  MPI_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &plans[1]);
  MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &plans[2]);
  for (int round = 0; round < kRounds; ++round) {
    if (rank == 0) value = round;
    for (int i = 0; i < kPlans; ++i) MPI_Start(&plans[(i + rank) % kPlans]);
    MPI_Waitall(kPlans, plans, MPI_STATUSES_IGNORE);
    if (value != round || sum != size * (size - 1) / 2) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  for (int i = 0; i < kPlans; ++i) MPI_Request_free(&plans[i]);
  MPI_Finalize();
  return 0;
}
#endif
