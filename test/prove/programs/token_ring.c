/* truth: {"limit": "serialisation", "function": "update_shared"} */
#include "plant.h"
static OWN void update_shared(int* t) {
  burn_us(1500);
  ++*t;
}
int main(int c, char** v) {
  begin(&c, &v);
  int token = 0;
  for (int i = 0; i < 60; ++i) {
    burn_us(300);
    if (rank > 0) MPI_Recv(&token, 1, MPI_INT, rank - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    update_shared(&token);
    MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(&token, 1, MPI_INT, size - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
}
