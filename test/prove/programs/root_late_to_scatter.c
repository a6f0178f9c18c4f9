/* truth: {"limit": "imbalance", "rank": 0, "operation": "MPI_Scatter", "function": "prepare"} */
/* The root prepares for 2.5 ms, the others for 1.4 ms, then each solves for 0.4 ms: 38 % of the
 * run. */
#include "plant.h"
static OWN void prepare(double us) {
  burn_us(us);
}
static OWN void deal(double* all, double* mine) {
  MPI_Scatter(all, 32, MPI_DOUBLE, mine, 32, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}
static OWN void solve(void) {
  burn_us(400);
}
int main(int c, char** v) {
  begin(&c, &v);
  double mine[32], *all = calloc(32 * size, sizeof(double));
  for (int i = 0; i < 250; ++i) {
    prepare(work_us(rank == 0, 2500, 1400, size));
    deal(all, mine);
    solve();
  }
  MPI_Finalize();
}
