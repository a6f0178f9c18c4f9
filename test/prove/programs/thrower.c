/* truth: {"calls": {"MPI_Allreduce": "1000*ranks"}} an error handler leaves a call by longjmp, and
 * the program goes on */
#include <setjmp.h>
#include "plant.h"
static jmp_buf back;
static void leave(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
  longjmp(back, 1);
}
int main(int c, char** v) {
  begin(&c, &v);
  MPI_Errhandler h;
  MPI_Comm_create_errhandler(leave, &h);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, h);
  double x = 1, y;
  for (volatile int i = 0; i < 1000; ++i) {
    if (i == 10 && setjmp(back) == 0) MPI_Send(&x, 1, MPI_DOUBLE, size + 7, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
