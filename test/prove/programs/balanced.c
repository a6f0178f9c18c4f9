/* truth: {"limit": "computation", "function": "kernel"} */
#include "plant.h"
static OWN void kernel(void) {
  burn_us(5000);
}
int main(int c, char** v) {
  begin(&c, &v);
  double x = 1, y;
  for (int i = 0; i < 100; ++i) {
    kernel();
    MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
