/* truth: {"limit": "message_rate", "function": "put_cells"} */
/* Each step has 6 ms of work and 5000 times MPI_Put of 8 bytes and MPI_Win_flush, together 0.85 to
 * 1.1 us on idle cores: 40 to 47 % of the run, for 40 KB. Only with fewer cores than ranks they end
 * before, after 40 ms. */
#include "plant.h"
static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}
static OWN void update_cells(void) {
  burn_us(6000);
}
static OWN void put_cells(MPI_Win w, int to, int n) {
  long x = rank;
  double end = now_ms() + 40;
  for (int i = 0; i < n && (i % 16 || now_ms() < end); ++i) {
    MPI_Put(&x, 1, MPI_LONG, to, i % 512, 1, MPI_LONG, w);
    MPI_Win_flush(to, w);
  }
}
int main(int c, char** v) {
  begin(&c, &v);
  static long cells[512];
  MPI_Win w;
  MPI_Win_create(cells, sizeof cells, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &w);
  MPI_Win_lock_all(0, w);
  for (int i = 0; i < 50; ++i) {
    update_cells();
    put_cells(w, (rank + 1) % size, 5000);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_unlock_all(w);
  MPI_Win_free(&w);
  MPI_Finalize();
}
