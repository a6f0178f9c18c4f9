/* truth: {"limit": "imbalance", "ranks": "all", "function": "refine"} */
#include "plant.h"
static OWN void refine(double us) {
  burn_us(us);
}
int main(int c, char** v) {
  begin(&c, &v);
  for (int i = 0; i < 200; ++i) {
    refine(i / 20 % size == rank ? 2500 : 800);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
