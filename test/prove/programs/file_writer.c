/* truth: {"limit": "imbalance", "rank": 0, "function": "write_checkpoint"} */
#include <fcntl.h>
#include <unistd.h>
#include "plant.h"
static OWN void write_checkpoint(void) {
  static char b[1 << 20];
  int f = open("checkpoint.tmp", O_CREAT | O_WRONLY | O_TRUNC, 0600);
  for (int i = 0; i < 8; ++i)
    if (write(f, b, sizeof b) < 0) break;
  fsync(f);
  close(f);
  unlink("checkpoint.tmp");
}
int main(int c, char** v) {
  begin(&c, &v);
  for (int i = 0; i < 60; ++i) {
    burn_us(2000);
    if (rank == 0 && i % 3 == 0) write_checkpoint();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
