/* truth: {"limit": "blocked", "function": "dump_state"} */
/* A recording does not tell writing by write() and fsync() from sleeping. */
#include <fcntl.h>
#include <unistd.h>
#include "plant.h"
static OWN void dump_state(void) {
  char name[32];
  static char b[1 << 20];
  sprintf(name, "dump-%d.tmp", rank);
  int f = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0600);
  for (int i = 0; i < 4; ++i)
    if (write(f, b, sizeof b) < 0) break;
  fsync(f);
  close(f);
  unlink(name);
}
int main(int c, char** v) {
  begin(&c, &v);
  for (int i = 0; i < 30; ++i) {
    burn_us(1000);
    dump_state();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
