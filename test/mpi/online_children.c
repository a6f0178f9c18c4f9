/* A rank starts an MPI program in every way: this one, without arguments, and the command argv[1]
 * that starts it under a launcher. What it starts is no rank, and prints "ok" and the number of its
 * processes. Prints what they return. */
#include <mpi.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;

static int waited(pid_t child) {
  int status = -1;
  if (child < 0 || waitpid(child, &status, 0) != child) return -1;
  return status;
}

static void print(const char* how, int status) {
  printf("%s %d\n", how, status);
  fflush(stdout);
}

/* As Python's subprocess does with a copy of os.environ. */
static int execute_as_before(char* program, char** environment) {
  char* words[] = {program, NULL};
  const pid_t child = fork();
  if (child == 0) {
    for (int fd = 3; fd < 1024; ++fd) close(fd);
    execve(program, words, environment);
    _exit(126);
  }
  return waited(child);
}

static int execute_by_vfork(char* program) {
  char* words[] = {program, NULL};
  const pid_t child = vfork();
  if (child == 0) {
    execv(program, words);
    _exit(126);
  }
  return waited(child);
}

static int spawn(char* program) {
  char* words[] = {program, NULL};
  pid_t child;
  return posix_spawn(&child, program, NULL, NULL, words, environ) == 0 ? waited(child) : -1;
}

/* Its clock is the real one, and its MPI is that of a process alone. */
static int fork_only(void) {
  const pid_t child = fork();
  if (child == 0) {
    int size = 0;
    const double begin = MPI_Wtime();
    usleep(20000);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    _exit(size == 1 && MPI_Wtime() - begin >= 0.02 ? 0 : 1);
  }
  return waited(child);
}

static int is_right(int rank, int size) {
  int sum = 0, got = rank;
  MPI_Request request;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
#if MPI_VERSION >= 4
  MPI_Isendrecv_replace(&got, 1, MPI_INT, (rank + 1) % size, 8, (rank + size - 1) % size, 8,
                        MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  got = (got + 1) % size;
  MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Start(&request);
#else
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
#endif
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return got == rank && sum == size * (size - 1) / 2;
}

int main(int argc, char** argv) {
  int rank, size;
  char** before = calloc(10000, sizeof *before);
  for (int i = 0; environ[i] != NULL && i < 9999; ++i) before[i] = strdup(environ[i]);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (!is_right(rank, size)) MPI_Abort(MPI_COMM_WORLD, 3);
  if (argc == 1 && rank == 0) printf("ok %d\n", size);
  if (argc > 1 && rank == 0) {
    print("system", system(argv[0]));
    print("launcher", system(argv[1]));
    print("as before", execute_as_before(argv[0], before));
    print("vfork", execute_by_vfork(argv[0]));
    print("posix_spawn", spawn(argv[0]));
    print("fork", fork_only());
    print("environment",
          system("env | grep -E '^(LD_PRELOAD|OMPI_MCA_btl|UCX_TLS|SLACKLINE_)' | sort"));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
