/* truth: {"limit": "transfer", "function": "halo"} */
#include "plant.h"
static OWN void halo(char* out, char* in, int n) {
  int other = rank ^ 1;
  if (other < size)
    MPI_Sendrecv(out, n, MPI_CHAR, other, 1, in, n, MPI_CHAR, other, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}
int main(int c, char** v) {
  begin(&c, &v);
  int n = fixed ? 1 : 8 << 20;
  char *a = calloc(n, 1), *b = calloc(n, 1);
  for (int i = 0; i < 60; ++i) {
    burn_us(1000);
    halo(a, b, n);
  }
  MPI_Finalize();
}
