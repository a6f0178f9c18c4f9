/* truth: {"limit": "serialisation", "operation": "MPI_Bcast", "function": "plan_second_half"} */
/* Each step: 1.0 ms on all ranks, 1.5 ms on the last one only (size - 1), which needs the sum of
 * all and whose plan all others need, 1.0 ms on all ranks: 43 % of the run. */
#include "plant.h"
static OWN void first_half(void) {
  burn_us(1000);
}
static OWN void plan_second_half(double* plan) {
  burn_us(fixed ? 1500.0 / size : 1500);
  plan[0] += 1;
}
static OWN void second_half(void) {
  burn_us(1000);
}
int main(int c, char** v) {
  begin(&c, &v);
  double mine[16] = {0}, plan[16] = {0};
  int last = size - 1;
  for (int i = 0; i < 200; ++i) {
    first_half();
    MPI_Reduce(mine, plan, 16, MPI_DOUBLE, MPI_SUM, last, MPI_COMM_WORLD);
    if (fixed || rank == last) plan_second_half(plan);
    MPI_Bcast(plan, 16, MPI_DOUBLE, last, MPI_COMM_WORLD);
    second_half();
  }
  MPI_Finalize();
}
