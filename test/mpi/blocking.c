/* Waits outside of MPI for known times, and reads and writes known bytes of known files, each in a
 * function of its own: FOLDER [kill]. Writes into FOLDER, one set of files a rank. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int cudaStreamSynchronize(void* stream);

#define FUNCTION __attribute__((noinline)) static void

static char folder[512];
static int rank;
enum { kBlock = 4 << 20, kSmall = 1000 };
static char block[kBlock];

static const char* path(const char* name) {
  static char text[1024];
  snprintf(text, sizeof text, "%s/%s.%d", folder, name, rank);
  return text;
}

static void check(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* 8 x 4 MiB by write, and 1000 x 10 bytes; synchronised. */
FUNCTION write_restart(void) {
  const int file = open(path("restart"), O_CREAT | O_TRUNC | O_WRONLY, 0600);
  check(file >= 0, "open");
  for (int i = 0; i < 8; ++i) check(write(file, block, kBlock) == kBlock, "write");
  for (int i = 0; i < kSmall; ++i) check(write(file, block, 10) == 10, "write");
  check(fsync(file) == 0, "fsync");
  check(close(file) == 0, "close");
}

/* 3 x 4 MiB by pwrite to one file, 5 x 7 bytes to another that has the first one's descriptor. */
FUNCTION write_parts(void) {
  int file = open(path("parts"), O_CREAT | O_TRUNC | O_RDWR, 0600);
  const int first = file;
  for (int i = 0; i < 3; ++i) {
    check(pwrite(file, block, kBlock, (off_t)i * kBlock) == kBlock, "pwrite");
  }
  close(file);
  file = creat(path("others"), 0600);
  check(file == first, "creat");
  for (int i = 0; i < 5; ++i) check(write(file, block, 7) == 7, "write");
  close(file);
}

/* 2000 x 4000 bytes through stdio. */
FUNCTION write_table(void) {
  FILE* const file = fopen(path("table"), "w");
  check(file != NULL, "fopen");
  for (int i = 0; i < 2000; ++i) check(fwrite(block, 40, 100, file) == 100, "fwrite");
  check(fflush(file) == 0, "fflush");
  check(fclose(file) == 0, "fclose");
}

/* All of the restart file, in pieces of two halves of 1 MiB. */
FUNCTION read_restart(void) {
  const int file = open(path("restart"), O_RDONLY);
  const struct iovec halves[2] = {{block, 1 << 20}, {block + (1 << 20), 1 << 20}};
  while (readv(file, halves, 2) > 0) continue;
  close(file);
}

FUNCTION sleep_a_while(void) {
  const struct timespec time = {0, 150 * 1000000};
  nanosleep(&time, NULL);
  usleep(50000);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int done;

static void* helper(void* none) {
  usleep(200000);
  pthread_mutex_lock(&mutex);
  done = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  return none;
}

FUNCTION wait_for_helper(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, helper, NULL);
  pthread_mutex_lock(&mutex);
  while (!done) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
}

/* 120 ms each: the stub polls for one, and sleeps for the other. */
FUNCTION wait_for_device(void) {
  check(cudaStreamSynchronize((void*)1) == 41 && cudaStreamSynchronize(NULL) == 40, "device");
}

/* A child that writes 4 MiB to a file of its own and one through a descriptor of this process. */
FUNCTION start_child(void) {
  const int file = creat(path("shared"), 0600);
  const pid_t child = fork();
  if (child == 0) {
    const int own = creat(path("child"), 0600);
    for (int i = 0; i < 100; ++i) {
      if (write(own, block, kBlock / 100) <= 0 || write(file, block, 100) <= 0) _exit(1);
    }
    usleep(100000);
    close(own);
    _exit(7);
  }
  int status = 0;
  check(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7, "child");
  check(write(file, block, 100) == 100, "write");
  close(file);
}

/* As daemons do: every descriptor that may be open, whoever's. */
FUNCTION close_all(void) {
  for (int file = 3; file < 65536; ++file) {
    char link[64], name[512];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t length = readlink(link, name, sizeof name - 1);
    if (length > 0 && memmem(name, (size_t)length, ".slk", 4) != NULL) close(file);
  }
}

static volatile int in_handler;
static void on_signal(int number) {
  (void)number;
  in_handler += write(STDERR_FILENO, "", 0) == 0;
}

int main(int argc, char** argv) {
  check(argc > 1, "FOLDER is missing");
  snprintf(folder, sizeof folder, "%s", argv[1]);
  usleep(30000); /* before MPI_Init: not counted */
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  signal(SIGUSR1, on_signal);
  memset(block, 'x', sizeof block);
  MPI_Barrier(MPI_COMM_WORLD);
  write_restart();
  MPI_Barrier(MPI_COMM_WORLD);
  write_parts();
  write_table();
  read_restart();
  MPI_Barrier(MPI_COMM_WORLD);
  sleep_a_while();
  wait_for_helper();
  wait_for_device();
  start_child();
  for (int i = 0; i < 100; ++i) raise(SIGUSR1);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 2) raise(SIGKILL);
  close_all();
  write_parts();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  usleep(30000); /* nor after MPI_Finalize */
  printf("rank %d: %d in the handler\n", rank, in_handler);
  return 0;
}
