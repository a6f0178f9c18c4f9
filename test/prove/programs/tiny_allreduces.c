/* truth: {"limit": "message_rate", "operation": "MPI_Allreduce", "function": "sum_often"} */
/* Each step has 5 ms of work and 8000 times MPI_Allreduce of 8 bytes, 0.4 to 0.6 us each on idle
 * cores: 36 to 47 % of the run, for 64 KB. The sum is of clocks, and a look at one is all the work
 * in between: only with fewer cores than ranks they end before, after 40 ms. */
#include "plant.h"
static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}
static OWN void multiply_matrix(void) {
  burn_us(5000);
}
static OWN void sum_often(int n) {
  double sum = 0, start = now_ms();
  for (int i = 0; i < n && sum < 40.0 * size; ++i) {
    double x = now_ms() - start;
    if (!fixed) MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}
int main(int c, char** v) {
  begin(&c, &v);
  for (int i = 0; i < 50; ++i) {
    multiply_matrix();
    sum_often(8000);
  }
  MPI_Finalize();
}
