/* truth: {"limit": "transfer", "operation": "MPI_Wait", "function": "transpose_beside_work"} */
/* 16 MB of each rank are transposed beside 3 ms of work, in which nothing makes progress: the parts
 * of others come in MPI_Wait, 1.3 to 1.7 ms with two ranks, 24 to 30 % of the run. Besides,
 * MPI_Ialltoall copies the rank's own part in the same function, 0.7 ms, 13 %. */
#include "plant.h"
static OWN void other_work(void) {
  burn_us(3000);
}
static OWN void transpose_beside_work(char* a, char* b, int n) {
  MPI_Request r;
  MPI_Ialltoall(a, n, MPI_CHAR, b, n, MPI_CHAR, MPI_COMM_WORLD, &r);
  other_work();
  MPI_Wait(&r, MPI_STATUS_IGNORE);
}
int main(int c, char** v) {
  begin(&c, &v);
  int n = (16 << 20) / size;
  char *a = malloc((size_t)n * size), *b = malloc((size_t)n * size);
  memset(a, 1, (size_t)n * size);
  memset(b, 2, (size_t)n * size);
  for (int i = 0; i < 110; ++i) transpose_beside_work(a, b, n);
  MPI_Finalize();
}
