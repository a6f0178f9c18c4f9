/* truth: {"limit": "serialisation", "operation": "MPI_Recv", "function": "relax_block"} */
/* A step goes down through the ranks and back up, 2 ms at each in both directions: one rank works
 * at a time, with two ranks each waits for 50 % of the run. */
#include "plant.h"
static OWN void relax_block(double* edge) {
  burn_us(2000);
  edge[0] += 1;
}
static OWN void take(double* edge, int from) {
  if (from >= 0 && from < size)
    MPI_Recv(edge, 32, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static OWN void give(double* edge, int to) {
  if (to >= 0 && to < size) MPI_Send(edge, 32, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
}
int main(int c, char** v) {
  begin(&c, &v);
  double edge[32] = {0};
  for (int i = 0; i < 100; ++i) {
    take(edge, rank - 1);
    relax_block(edge);
    give(edge, rank + 1);
    take(edge, rank + 1);
    relax_block(edge);
    give(edge, rank - 1);
  }
  MPI_Finalize();
}
