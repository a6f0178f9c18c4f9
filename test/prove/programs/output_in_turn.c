/* truth: {"limit": "serialisation", "function": "write_part"} */
/* After 1.2 ms on all ranks at once each writes its part, 1.4 ms, when the rank before it is done:
 * with two ranks 1.4 of 4.0 ms a step, 35 % of the run, are lost, with more ranks more. */
#include "plant.h"
static OWN void compute_part(void) {
  burn_us(1200);
}
static OWN void write_part(void) {
  burn_us(1400);
}
static OWN void output(void) {
  if (rank > 0) MPI_Recv(0, 0, MPI_CHAR, rank - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  write_part();
  if (rank + 1 < size) MPI_Send(0, 0, MPI_CHAR, rank + 1, 7, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}
int main(int c, char** v) {
  begin(&c, &v);
  for (int i = 0; i < 200; ++i) {
    compute_part();
    output();
  }
  MPI_Finalize();
}
