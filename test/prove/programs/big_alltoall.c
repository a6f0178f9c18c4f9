/* truth: {"limit": "transfer", "operation": "MPI_Alltoall", "function": "transpose"} */
/* After 3 ms of work each rank gives 16 MB to MPI_Alltoall, in equal parts for all: 2.1 to 2.5 ms
 * with two ranks on idle cores, 38 to 45 % of the run. */
#include "plant.h"
static OWN void fft_lines(void) {
  burn_us(3000);
}
static OWN void transpose(char* a, char* b, int n) {
  MPI_Alltoall(a, n, MPI_CHAR, b, n, MPI_CHAR, MPI_COMM_WORLD);
}
int main(int c, char** v) {
  begin(&c, &v);
  int n = (16 << 20) / size;
  char *a = malloc((size_t)n * size), *b = malloc((size_t)n * size);
  memset(a, 1, (size_t)n * size);
  memset(b, 2, (size_t)n * size);
  for (int i = 0; i < 100; ++i) {
    fft_lines();
    transpose(a, b, n);
  }
  MPI_Finalize();
}
