/* truth: {"limit": "serialisation", "operation": "MPI_Recv", "function": "handle_token"} */
/* Only who has the token works, 1.6 ms each time, 500 times in all: with two ranks each waits for
 * 50 % of the run, with more for more. */
#include "plant.h"
static OWN void handle_token(long* token) {
  burn_us(1600);
  ++*token;
}
int main(int c, char** v) {
  begin(&c, &v);
  long token = 0;
  int left = (rank + size - 1) % size, right = (rank + 1) % size, rounds = 500 / size;
  for (int i = 0; i < rounds; ++i) {
    if (!fixed && (rank > 0 || i > 0))
      MPI_Recv(&token, 1, MPI_LONG, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    handle_token(&token);
    if (!fixed) MPI_Send(&token, 1, MPI_LONG, right, 0, MPI_COMM_WORLD);
  }
  if (!fixed && rank == 0)
    MPI_Recv(&token, 1, MPI_LONG, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
}
