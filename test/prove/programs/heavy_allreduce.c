/* truth: {"limit": "transfer", "operation": "MPI_Allreduce", "function": "sum_gradients"} */
#include "plant.h"
static OWN void sum_gradients(float* a, float* b, int n) {
  MPI_Allreduce(a, b, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}
int main(int c, char** v) {
  begin(&c, &v);
  int n = fixed ? 1 : 1 << 20;
  float *a = calloc(n, 4), *b = calloc(n, 4);
  for (int i = 0; i < 60; ++i) {
    burn_us(1500);
    sum_gradients(a, b, n);
  }
  MPI_Finalize();
}
