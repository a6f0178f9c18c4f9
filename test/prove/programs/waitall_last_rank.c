/* truth: {"limit": "imbalance", "operation": "MPI_Waitall", "function": "outflow_boundary"} */
/* Each rank computes 2.0 ms a step, the last one (size - 1) 1.5 ms more: 43 % of the run. */
#include "plant.h"
static OWN void interior(void) {
  burn_us(2000);
}
static OWN void outflow_boundary(double us) {
  burn_us(us);
}
static OWN void swap_ghosts(double* out, double* in, int n) {
  MPI_Request r[4];
  MPI_Status s[4];
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Irecv(in, n, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, r);
  MPI_Irecv(in + n, n, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, r + 1);
  MPI_Isend(out, n, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, r + 2);
  MPI_Isend(out + n, n, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, r + 3);
  MPI_Waitall(4, r, s);
}
int main(int c, char** v) {
  begin(&c, &v);
  static double out[256], in[256];
  for (int i = 0; i < 200; ++i) {
    interior();
    if (fixed || rank == size - 1) outflow_boundary(fixed ? 1500.0 / size : 1500);
    swap_ghosts(out, in, 128);
  }
  MPI_Finalize();
}
