/* truth: {"limit":"imbalance", "rank":1, "operation":"MPI_Allreduce", "function":"rotate_log"} */
/* 100 steps of 5 ms on all ranks; in 5 of them rank 1 sleeps for 60 ms: 300 of 800 ms, 37 % of the
 * run. */
#include "plant.h"
static OWN void integrate_step(void) {
  burn_us(5000);
}
static OWN void rotate_log(void) {
  struct timespec t = {0, 60000000};
  nanosleep(&t, 0);
  sink += 1;
}
static OWN void next_time_step(void) {
  double x = rank, y;
  MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
}
int main(int c, char** v) {
  begin(&c, &v);
  for (int i = 0; i < 100; ++i) {
    integrate_step();
    if (rank == 1 && i % 20 == 13) rotate_log();
    next_time_step();
  }
  MPI_Finalize();
}
