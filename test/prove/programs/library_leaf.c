/* truth: {"limit": "imbalance", "rank": 1, "function": "radiation"} its time is spent in the C
 * library's functions */
#include <math.h>
#include "plant.h"
static OWN void radiation(int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += sin(s + i) * exp(-1e-6 * i);
  sink = s;
}
int main(int c, char** v) {
  begin(&c, &v);
  for (int i = 0; i < 100; ++i) {
    radiation(rank == 1 ? 120000 : 40000);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
