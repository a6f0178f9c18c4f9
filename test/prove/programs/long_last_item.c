/* truth: {"limit": "imbalance", "rank": 1, "operation": "MPI_Barrier", "function": "evaluate"} */
/* 160 items of 5 ms, dealt out by rank 0, which also works, in slices of 0.1 ms; then one of 320
 * ms, for which rank 1 is kept: with two ranks 320 of 720 ms, 44 % of the run. */
#include "plant.h"
enum { items = 160, ask = 1, answer = 2 };
static OWN void evaluate(double us) {
  burn_us(us);
}
static OWN void deal_out(void) {
  int next = 0, slices = 0;
  for (int workers = size - 1; workers > 0;) {
    int asked = 1, item;
    if (next < items || slices)
      MPI_Iprobe(MPI_ANY_SOURCE, ask, MPI_COMM_WORLD, &asked, MPI_STATUS_IGNORE);
    if (asked) {
      MPI_Status s;
      MPI_Recv(&item, 1, MPI_INT, MPI_ANY_SOURCE, ask, MPI_COMM_WORLD, &s);
      item = next < items ? next++ : s.MPI_SOURCE == 1 ? items : items + 1;
      workers -= item >= items;
      MPI_Send(&item, 1, MPI_INT, s.MPI_SOURCE, answer, MPI_COMM_WORLD);
    } else {
      if (slices == 0) ++next, slices = 50;
      evaluate(100);
      --slices;
    }
  }
  for (; slices; --slices) evaluate(100);
}
static OWN void work_off(void) {
  for (int item = 0; item < items;) {
    MPI_Send(&item, 1, MPI_INT, 0, ask, MPI_COMM_WORLD);
    MPI_Recv(&item, 1, MPI_INT, 0, answer, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (item <= items) evaluate(item == items ? 320000 : 5000);
  }
}
int main(int c, char** v) {
  begin(&c, &v);
  rank == 0 ? deal_out() : work_off();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
