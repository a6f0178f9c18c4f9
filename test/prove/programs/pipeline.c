/* truth: {"limit": "serialisation", "function": "sweep"} */
#include "plant.h"
static OWN void sweep(void) {
  burn_us(1500);
}
int main(int c, char** v) {
  begin(&c, &v);
  char b[64] = {0};
  for (int i = 0, n = number(c, v, 1, 150); i < n; ++i) {
    if (rank > 0) MPI_Recv(b, 64, MPI_CHAR, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sweep();
    if (rank + 1 < size) MPI_Send(b, 64, MPI_CHAR, rank + 1, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
