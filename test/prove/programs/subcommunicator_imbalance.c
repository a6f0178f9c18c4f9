/* truth: {"limit": "imbalance", "rank": 1, "function": "chemistry"} */
/* In the pair of ranks 0 and 1 rank 1 computes 2.6 ms of the other's 1.6 ms a step, besides 0.2 ms
 * of each: 36 % of the run. Other pairs are balanced, and nothing but the end joins the pairs. */
#include "plant.h"
static OWN void chemistry(double us) {
  burn_us(us);
}
static OWN void couple_pair(MPI_Comm pair) {
  double x = rank, y;
  burn_us(200);
  MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, pair);
}
int main(int c, char** v) {
  begin(&c, &v);
  MPI_Comm pair;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
  for (int i = 0; i < 250; ++i) {
    chemistry(rank > 1 ? 1600 : work_us(rank == 1, 2600, 1600, 2));
    couple_pair(pair);
  }
  MPI_Comm_free(&pair);
  MPI_Finalize();
}
