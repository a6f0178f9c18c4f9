/* A program that is not linked with MPI: it opens the library named by its argument, privately, and
 * looks up what it calls. The values of handles are found through the Fortran conversions. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

#define FIND(name) __typeof__(&name) p_##name = (__typeof__(&name))dlsym(library, #name)

int main(int argc, char** argv) {
  void* library = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return 9;
  FIND(MPI_Init);
  FIND(MPI_Barrier);
  FIND(MPI_Finalize);
#ifdef OMPI_MPI_H
  MPI_Comm world = (MPI_Comm)dlsym(library, "ompi_mpi_comm_world");
#else
  MPI_Comm world = MPI_COMM_WORLD;
#endif
  p_MPI_Init(&argc, &argv);
  for (int i = 0; i < 10; ++i) p_MPI_Barrier(world);
  p_MPI_Finalize();
  printf("done\n");
  return 0;
}
