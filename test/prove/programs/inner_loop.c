/* truth: {"limit": "imbalance", "rank": 1, "function": "precondition", "steps": [20, 40, 80]} */
#include "plant.h"
static OWN void precondition(double us) {
  burn_us(us);
}
static OWN void dot(void) {
  double x = 1, y;
  MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
int main(int c, char** v) {
  begin(&c, &v);
  srand(7);
  for (int i = 0; i < 80; ++i) {
    int trips = 5 + rand() % 21;
    for (int k = 0; k < trips; ++k) {
      precondition(rank == 1 && i >= 20 && i < 40 ? 700 : 300);
      dot();
    }
    burn_us(400);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
