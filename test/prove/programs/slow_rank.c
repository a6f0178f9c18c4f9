/* truth: {"limit": "imbalance", "rank": 1, "function": "assemble"} */
#include "plant.h"
static OWN void assemble(double us) {
  burn_us(us);
}
static OWN void solve(void) {
  double x = rank, y;
  burn_us(300);
  MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
int main(int c, char** v) {
  begin(&c, &v);
  for (int i = 0, n = number(c, v, 1, 200); i < n; ++i) {
    assemble(work_us(rank == 1, 2000, 1000, size));
    solve();
  }
  MPI_Finalize();
}
