/* truth: {"limit": "serialisation", "rank": 0, "function": "merge_on_root"} */
#include "plant.h"
static OWN void merge_on_root(void) {
  burn_us(fixed ? 2500.0 / size : 2500);
}
static OWN void local_work(void) {
  burn_us(1000);
}
int main(int c, char** v) {
  begin(&c, &v);
  double x[64] = {0}, *all = calloc(64 * size, sizeof(double));
  for (int i = 0; i < 120; ++i) {
    local_work();
    MPI_Gather(x, 64, MPI_DOUBLE, all, 64, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (fixed || rank == 0) merge_on_root();
    MPI_Bcast(x, 64, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
