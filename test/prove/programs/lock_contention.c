/* truth: {"limit": "imbalance", "operation": "MPI_Win_lock", "function": "update_counter"} */
#include "plant.h"
static OWN void update_counter(MPI_Win w, long* x) {
  long y;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w);
  MPI_Get(&y, 1, MPI_LONG, 0, 0, 1, MPI_LONG, w);
  MPI_Win_flush(0, w);
  burn_us(1500);
  MPI_Put(x, 1, MPI_LONG, 0, 0, 1, MPI_LONG, w);
  MPI_Win_unlock(0, w);
}
int main(int c, char** v) {
  begin(&c, &v);
  long *m, x = rank;
  MPI_Win w;
  MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &m, &w);
  for (int i = 0; i < 100; ++i) {
    burn_us(200);
    update_counter(w, &x);
  }
  MPI_Win_free(&w);
  MPI_Finalize();
}
