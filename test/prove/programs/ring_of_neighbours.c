/* truth: {"limit": "imbalance", "rank": 0, "operation": "MPI_Recv", "function": "advect"} */
/* Rank 0 computes 2.5 ms of the others' 1.5 ms a step: 40 % of the run. Each rank knows only its
 * neighbours: from the third rank on the wait for rank 0 is handed on. */
#include "plant.h"
static OWN void advect(double us) {
  burn_us(us);
}
static OWN void pass_to_the_right(double* out, double* in) {
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  if (rank % 2 == 0) MPI_Send(out, 64, MPI_DOUBLE, right, 3, MPI_COMM_WORLD);
  MPI_Recv(in, 64, MPI_DOUBLE, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank % 2 == 1) MPI_Send(out, 64, MPI_DOUBLE, right, 3, MPI_COMM_WORLD);
}
int main(int c, char** v) {
  begin(&c, &v);
  double out[64] = {0}, in[64];
  for (int i = 0; i < 280; ++i) {
    advect(work_us(rank == 0, 2500, 1500, size));
    pass_to_the_right(out, in);
  }
  MPI_Finalize();
}
