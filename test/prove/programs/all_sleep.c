/* truth: {"limit": "blocked", "ranks": "all", "function": "wait_for_sensor"} */
/* Each rank computes 2 ms and sleeps 2 ms in each step: 50 % of the run. */
#include "plant.h"
static OWN void filter_samples(void) {
  burn_us(2000);
}
static OWN void wait_for_sensor(void) {
  struct timespec t = {0, 2000000};
  nanosleep(&t, 0);
  sink += 1;
}
int main(int c, char** v) {
  begin(&c, &v);
  for (int i = 0; i < 200; ++i) {
    filter_samples();
    if (!fixed) wait_for_sensor();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
