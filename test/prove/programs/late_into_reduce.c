/* truth: {"limit": "imbalance", "rank": 1, "operation": "MPI_Reduce", "function": "forces"} */
/* Rank 1 computes 2.8 ms of the others' 1.6 ms a step: 43 % of the run. The vectors of 64 KB are
 * too large to be sent ahead, so that all other ranks wait in MPI_Reduce; the bytes cost 1.5 %. */
#include "plant.h"
static OWN void forces(double us) {
  burn_us(us);
}
static OWN void sum_on_root(double* x, double* y, int n) {
  MPI_Reduce(x, y, n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}
int main(int c, char** v) {
  begin(&c, &v);
  static double x[8192], y[8192];
  memset(x, 0, sizeof x);
  memset(y, 0, sizeof y);
  for (int i = 0; i < 250; ++i) {
    forces(work_us(rank == 1, 2800, 1600, size));
    sum_on_root(x, y, 8192);
  }
  MPI_Finalize();
}
