/* truth: {"limit": "transfer", "operation": "MPI_Waitall", "function": "exchange_halo"} */
#include "plant.h"
static OWN void exchange_halo(char* a, char* b, int n) {
  MPI_Request r[2];
  int o = rank ^ 1;
  MPI_Irecv(b, n, MPI_CHAR, o, 0, MPI_COMM_WORLD, r);
  MPI_Isend(a, n, MPI_CHAR, o, 0, MPI_COMM_WORLD, r + 1);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}
int main(int c, char** v) {
  begin(&c, &v);
  int n = 8 << 20;
  char *a = calloc(n, 1), *b = calloc(n, 1);
  memset(a, 1, n);
  for (int i = 0; i < 40; ++i) {
    exchange_halo(a, b, n);
    burn_us(2000);
  }
  MPI_Finalize();
}
