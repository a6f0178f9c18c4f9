/* truth: {"limit":"imbalance", "ranks":"all", "operation":"MPI_Allreduce", "function":"remesh"} */
/* In each step the next rank is late: 2.4 ms of the others' 1.2 ms. 50 % of the run, though in the
 * sum over the steps all ranks do the same work. */
#include "plant.h"
static OWN void remesh(double us) {
  burn_us(us);
}
static OWN double norm(double x) {
  double y;
  MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return y;
}
int main(int c, char** v) {
  begin(&c, &v);
  for (int i = 0; i < 300; ++i) {
    remesh(work_us(i % size == rank, 2400, 1200, size));
    sink = norm(rank) * 1e-9;
  }
  MPI_Finalize();
}
