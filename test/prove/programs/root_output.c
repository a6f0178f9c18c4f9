/* truth: {"limit": "imbalance", "rank": 0, "function": "write_results"} */
#include "plant.h"
static OWN void write_results(int step) {
  FILE* f = fopen("results.tmp", "w");
  for (int i = 0; i < 20000; ++i) fprintf(f, "%d %d %.12g\n", step, i, i * 0.37 * step);
  fflush(f);
  fclose(f);
  remove("results.tmp");
}
int main(int c, char** v) {
  begin(&c, &v);
  for (int i = 0; i < 40; ++i) {
    burn_us(2000);
    if (rank == 0) write_results(i);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
