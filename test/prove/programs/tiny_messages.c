/* truth: {"limit": "message_rate", "function": "scatter_cells"} */
#include "plant.h"
static OWN void scatter_cells(int n) {
  long x = 1;
  for (int i = 0; i < n; ++i)
    if (rank % 2 == 0 && rank + 1 < size)
      MPI_Send(&x, 1, MPI_LONG, rank + 1, 0, MPI_COMM_WORLD);
    else if (rank % 2 == 1)
      MPI_Recv(&x, 1, MPI_LONG, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
int main(int c, char** v) {
  begin(&c, &v);
  for (int i = 0; i < 50; ++i) {
    burn_us(100);
    scatter_cells(4000);
  }
  MPI_Finalize();
}
