/* truth: {"limit": "imbalance", "rank": 1, "function": "wait_for_device", "off_cpu": true} */
#include "plant.h"
static OWN void wait_for_device(void) {
  struct timespec t = {0, 4000000};
  nanosleep(&t, 0);
  sink += 1;
}
int main(int c, char** v) {
  begin(&c, &v);
  for (int i = 0; i < 100; ++i) {
    burn_us(1000);
    if (rank == 1) wait_for_device();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
