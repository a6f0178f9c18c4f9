/* truth: {"limit":"serialisation","rank":0,"operation":"MPI_Barrier","function":"write_result"} */
/* 100 steps of 4.8 ms on all ranks; then rank 0 has the parts of all and works on them for 320 ms
 * while the others have nothing to do: 40 % of the run. */
#include "plant.h"
static OWN void step(void) {
  double x = rank, y;
  burn_us(4800);
  MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}
static OWN void write_result(double* all) {
  burn_us(320000);
  all[0] += 1;
}
int main(int c, char** v) {
  begin(&c, &v);
  double part[64] = {0}, *all = calloc(64 * size, sizeof(double));
  for (int i = 0; i < 100; ++i) step();
  MPI_Gather(part, 64, MPI_DOUBLE, all, 64, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 0) write_result(all);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
