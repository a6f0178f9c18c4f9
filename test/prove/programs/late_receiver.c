/* truth: {"limit": "imbalance", "rank": 1, "function": "digest"} */
#include "plant.h"
static OWN void digest(void) {
  burn_us(3000);
}
int main(int c, char** v) {
  begin(&c, &v);
  int n = 1 << 20;
  char* b = calloc(n, 1);
  for (int i = 0; i < 120; ++i) {
    if (rank % 2 == 0) {
      burn_us(800);
      if (rank + 1 < size) MPI_Send(b, n, MPI_CHAR, rank + 1, 0, MPI_COMM_WORLD);
    } else {
      digest();
      MPI_Recv(b, n, MPI_CHAR, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  MPI_Finalize();
}
