/* truth: {"limit": "transfer", "operation": "MPI_Bcast", "function": "distribute_field"} */
/* Rank 0 sends 16 MB to all in each step, 2.5 to 3.3 ms with two ranks on idle cores, before 4 ms
 * of work: 37 to 45 % of the run. */
#include "plant.h"
static OWN void distribute_field(char* field, int n) {
  MPI_Bcast(field, n, MPI_CHAR, 0, MPI_COMM_WORLD);
}
static OWN void apply_field(void) {
  burn_us(4000);
}
int main(int c, char** v) {
  begin(&c, &v);
  int n = fixed ? 1 : 16 << 20;
  char* field = malloc(n);
  memset(field, rank, n);
  for (int i = 0; i < 90; ++i) {
    distribute_field(field, n);
    apply_field();
  }
  MPI_Finalize();
}
