/* truth: {"limit": "imbalance", "rank": 1, "function": "assemble_matrix"} */
/* Rank 1 computes 3.2 ms of the others' 1.8 ms a step: 44 % of the run, in which the others ask by
 * MPI_Test every 20 us whether it came and look at an empty mailbox in between. */
#include "plant.h"
static OWN void assemble_matrix(double us) {
  burn_us(us);
}
static OWN void look_at_mailbox(void) {
  burn_us(20);
}
static OWN void wait_polling(void) {
  MPI_Request r;
  int there = 0;
  MPI_Ibarrier(MPI_COMM_WORLD, &r);
  for (MPI_Test(&r, &there, MPI_STATUS_IGNORE); !there; MPI_Test(&r, &there, MPI_STATUS_IGNORE))
    look_at_mailbox();
}
int main(int c, char** v) {
  begin(&c, &v);
  for (int i = 0; i < 220; ++i) {
    assemble_matrix(work_us(rank == 1, 3200, 1800, size));
    wait_polling();
  }
  MPI_Finalize();
}
