/* truth: {"limit": "imbalance", "rank": 0, "function": "update", "steps": [80, 140, 240]} */
#include "plant.h"
static OWN void update(double us) {
  burn_us(us);
}
static OWN void exchange(void) {
  static double out[512], in[512];
  int other = rank ^ 1;
  if (other < size)
    MPI_Sendrecv(out, 512, MPI_DOUBLE, other, 1, in, 512, MPI_DOUBLE, other, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}
int main(int c, char** v) {
  begin(&c, &v);
  for (int i = 0; i < 240; ++i) {
    update(rank == 0 && i >= 80 && i < 140 ? 2600 : 1000);
    exchange();
  }
  MPI_Finalize();
}
