/* Functions of two files that call each other: compiled with -flto, all are inlined into run(). Of
 * the odd levels; lto_inner.c has the even ones. */
#include <mpi.h>

void level_2(int n);
void level_4(int n);

void level_3(int n) {
  level_4(n * 3);
}

void level_5(int n) {
  MPI_Send(&n, 1, MPI_INT, MPI_PROC_NULL, n & 15, MPI_COMM_WORLD);
}

__attribute__((noinline)) static void run(int n) {
  for (int i = 0; i < n; ++i) {
    level_2(i);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  run(argc + 2);
  MPI_Finalize();
  return 0;
}
