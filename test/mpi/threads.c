/* threads MODE: what several threads of a rank do to MPI at once (MPI_THREAD_MULTIPLE). Each
 * thread t of rank r talks to thread t of the neighbouring ranks. Prints "errors N"; every mode
 * uses MPI correctly, so that a recording of it has nothing to complain of.
 *   churn       handles come free in one thread and are given to another at once: all kinds of
 *               completion, one message outstanding each
 *   windows     the same with 16 requests outstanding in each thread
 *   persistent  requests that are started again and again
 *   same_tag    all threads use one tag, so that only the order of the calls tells messages apart
 *   handover    requests are started by one thread and completed by another, from a copy
 *   probes      messages are found by probing and received by their handle
 *   collectives each thread has a communicator of its own, and duplicates and frees others
 *   cancel      receives that are cancelled or freed
 *   create_group
 *               communicators over one group are made in a different order on each rank, and only
 *               their tags, or the communicators they are made from, tell them apart */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define THREADS 4
#define ROUNDS 200
#define WINDOW 16

static int rank, size, left, right;
static int errors;
static MPI_Comm comms[THREADS];

static void expect(int condition) {
  if (!condition) __atomic_add_fetch(&errors, 1, __ATOMIC_RELAXED);
}

/* Completes `n` requests by the way of number `how`. */
static void complete(int how, int n, MPI_Request* r) {
  int done = 0, flag = 0, index, count, indices[2 * WINDOW];
  MPI_Status statuses[2 * WINDOW];
  switch (how % 8) {
    case 0:
      for (int i = 0; i < n; ++i) MPI_Wait(&r[i], MPI_STATUS_IGNORE);
      break;
    case 1:
      MPI_Waitall(n, r, statuses);
      break;
    case 2:
      for (; done < n; ++done) MPI_Waitany(n, r, &index, &statuses[0]);
      break;
    case 3:
      while (done < n) {
        MPI_Waitsome(n, r, &count, indices, MPI_STATUSES_IGNORE);
        done += count;
      }
      break;
    case 4:
      for (int i = 0; i < n; ++i) {
        for (flag = 0; !flag;) MPI_Test(&r[i], &flag, MPI_STATUS_IGNORE);
      }
      break;
    case 5:
      while (!flag) MPI_Testall(n, r, &flag, MPI_STATUSES_IGNORE);
      break;
    case 6:
      while (done < n) {
        MPI_Testany(n, r, &index, &flag, MPI_STATUS_IGNORE);
        done += flag;
      }
      break;
    default:
      while (done < n) {
        MPI_Testsome(n, r, &count, indices, statuses);
        done += count;
      }
  }
}

static void exchange(int tag, int window) {
  int out[WINDOW], in[WINDOW];
  MPI_Request r[2 * WINDOW];
  for (int round = 0; round < ROUNDS / window + 8; ++round) {
    for (int i = 0; i < window; ++i) {
      in[i] = -1;
      out[i] = round * window + i;
      MPI_Irecv(&in[i], 1, MPI_INT, left, tag, MPI_COMM_WORLD, &r[i]);
      MPI_Isend(&out[i], 1, MPI_INT, right, tag, MPI_COMM_WORLD, &r[window + i]);
    }
    complete(round, 2 * window, r);
    for (int i = 0; i < window; ++i) expect(in[i] == out[i]);
  }
}

static void churn(int thread) {
  exchange(thread, 1);
}

static void windows(int thread) {
  exchange(thread, WINDOW);
}

static void persistent(int thread) {
  int out = 0, in = 0;
  for (int again = 0; again < 10; ++again) {
    MPI_Request r[2];
    MPI_Recv_init(&in, 1, MPI_INT, left, thread, MPI_COMM_WORLD, &r[0]);
    MPI_Send_init(&out, 1, MPI_INT, right, thread, MPI_COMM_WORLD, &r[1]);
    for (int i = 0; i < 16; ++i) {
      out = i;
      MPI_Startall(2, r);
      if (i % 2 == 0) {
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
      } else {
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        MPI_Wait(&r[1], MPI_STATUS_IGNORE);
      }
      expect(in == i);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
  }
}

/* Messages of one rank are distinguished by their order only; their number of bytes gives the order
 * in which a thread sends them. */
static void same_tag(int thread) {
  char out[ROUNDS + 1] = {0}, in[ROUNDS + 1];
  (void)thread;
  for (int i = 0; i < ROUNDS; ++i) {
    MPI_Request r[2];
    MPI_Irecv(in, ROUNDS + 1, MPI_CHAR, left, 7, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(out, i % 2 == 0 ? 8 : i, MPI_CHAR, right, 7, MPI_COMM_WORLD, &r[1]);
    complete(i, 2, r);
    if (i % 8 == 0) {
      MPI_Sendrecv(out, 3, MPI_CHAR, right, 7, in, ROUNDS + 1, MPI_CHAR, left, 7, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    }
  }
}

/* Even threads start, odd threads complete. */
static MPI_Request handed[THREADS][4];
static int buffers[THREADS][4];
static pthread_barrier_t pairs[THREADS];

static void handover(int thread) {
  const int pair = thread / 2;
  int* b = buffers[pair];
  for (int i = 0; i < ROUNDS / 10; ++i) {
    if (thread % 2 == 0) {
      MPI_Request r[4];
      MPI_Irecv(&b[0], 1, MPI_INT, left, 2 * pair, MPI_COMM_WORLD, &r[0]);
      MPI_Irecv(&b[1], 1, MPI_INT, left, 2 * pair + 1, MPI_COMM_WORLD, &r[1]);
      b[2] = b[3] = i;
      MPI_Isend(&b[2], 1, MPI_INT, right, 2 * pair, MPI_COMM_WORLD, &r[2]);
      MPI_Isend(&b[3], 1, MPI_INT, right, 2 * pair + 1, MPI_COMM_WORLD, &r[3]);
      memcpy(handed[pair], r, sizeof r);
    }
    pthread_barrier_wait(&pairs[pair]);
    if (thread % 2 == 0) {
      exchange(100 + pair, 1 + i % 2);
    } else {
      complete(i, 4, handed[pair]);
      expect(b[0] == i && b[1] == i);
    }
    pthread_barrier_wait(&pairs[pair]);
  }
}

static void probes(int thread) {
  for (int i = 0; i < ROUNDS; ++i) {
    int in = -1, flag = 0;
    MPI_Message m;
    MPI_Status s;
    MPI_Request r, received;
    MPI_Isend(&i, 1, MPI_INT, right, thread, MPI_COMM_WORLD, &r);
    switch (i % 4) {
      case 0:
        while (!flag) MPI_Improbe(MPI_ANY_SOURCE, thread, MPI_COMM_WORLD, &flag, &m, &s);
        MPI_Mrecv(&in, 1, MPI_INT, &m, MPI_STATUS_IGNORE);
        break;
      case 1:
        MPI_Mprobe(left, thread, MPI_COMM_WORLD, &m, MPI_STATUS_IGNORE);
        MPI_Imrecv(&in, 1, MPI_INT, &m, &received);
        MPI_Wait(&received, MPI_STATUS_IGNORE);
        break;
      case 2:
        MPI_Probe(MPI_ANY_SOURCE, thread, MPI_COMM_WORLD, &s);
        MPI_Recv(&in, 1, MPI_INT, s.MPI_SOURCE, thread, MPI_COMM_WORLD, &s);
        break;
      default:
        while (!flag) MPI_Iprobe(left, thread, MPI_COMM_WORLD, &flag, &s);
        MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, thread, MPI_COMM_WORLD, &received);
        MPI_Wait(&received, &s);
    }
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    expect(in == i);
  }
}

static void collectives(int thread) {
  for (int i = 0; i < ROUNDS / 4; ++i) {
    int one = 1, sum = 0, all = 0;
    MPI_Comm copy;
    MPI_Request r[2];
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comms[thread]);
    MPI_Iallreduce(&one, &all, 1, MPI_INT, MPI_SUM, comms[thread], &r[0]);
    MPI_Ibarrier(comms[thread], &r[1]);
    complete(i, 2, r);
    expect(sum == size && all == size);
    if (i % 4 != 0) continue;
    MPI_Comm_dup(comms[thread], &copy);
    MPI_Bcast(&one, 1, MPI_INT, 0, copy);
    MPI_Comm_free(&copy);
  }
}

static void cancel(int thread) {
  for (int i = 0; i < ROUNDS; ++i) {
    int never, out = i, in = -1, cancelled = 0;
    MPI_Request r, s;
    MPI_Status status;
    MPI_Irecv(&never, 1, MPI_INT, left, 50 + thread, MPI_COMM_WORLD, &r);
    MPI_Cancel(&r);
    MPI_Wait(&r, &status);
    MPI_Test_cancelled(&status, &cancelled);
    expect(cancelled);
    MPI_Isend(&out, 1, MPI_INT, right, thread, MPI_COMM_WORLD, &s);
    if (i % 2 == 0) MPI_Request_free(&s);
    MPI_Recv(&in, 1, MPI_INT, left, thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (i % 2 == 1) MPI_Wait(&s, MPI_STATUS_IGNORE);
    expect(in == i);
  }
}

/* Waits until the threads that come before this one on this rank are about to call MPI, and gives
 * them time to do so. Ranks have opposite orders. */
static int arrived[2];

static void take_turn(int thread, int which) {
  const int turn = rank % 2 == 0 ? thread : THREADS - 1 - thread;
  const struct timespec moment = {0, 2000000};
  while (__atomic_load_n(&arrived[which], __ATOMIC_ACQUIRE) % THREADS != turn) {
    nanosleep(&moment, NULL);
  }
  nanosleep(&moment, NULL);
  __atomic_add_fetch(&arrived[which], 1, __ATOMIC_RELEASE);
}

static void use_and_free(int thread, MPI_Comm comm) {
  char text[THREADS + 1] = {0};
  MPI_Bcast(text, thread + 1, MPI_CHAR, 0, comm);
  MPI_Barrier(comm);
  MPI_Comm_free(&comm);
}

static void create_group(int thread) {
  MPI_Group group;
  MPI_Comm comm;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  for (int i = 0; i < ROUNDS / 20; ++i) {
    take_turn(thread, 0);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, thread, &comm);
    use_and_free(thread, comm);
    take_turn(thread, 1);
    MPI_Comm_create_group(comms[thread], group, 7, &comm);
    use_and_free(thread, comm);
  }
  MPI_Group_free(&group);
}

static const struct {
  const char* name;
  void (*run)(int);
} modes[] = {{"churn", churn},       {"windows", windows},         {"persistent", persistent},
             {"same_tag", same_tag}, {"handover", handover},       {"probes", probes},
             {"cancel", cancel},     {"collectives", collectives}, {"create_group", create_group}};
static void (*mode)(int);

static void* thread_main(void* argument) {
  mode(*(int*)argument);
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  pthread_t threads[THREADS];
  int numbers[THREADS];
  for (size_t i = 0; i < sizeof modes / sizeof *modes; ++i) {
    if (argc > 1 && strcmp(argv[1], modes[i].name) == 0) mode = modes[i].run;
  }
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) {
    MPI_Finalize();
    return 77;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  left = (rank + size - 1) % size;
  right = (rank + 1) % size;
  for (int t = 0; t < THREADS; ++t) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[t]);
    pthread_barrier_init(&pairs[t], NULL, 2);
  }
  for (int t = 0; t < THREADS; ++t) {
    numbers[t] = t;
    if (t > 0) pthread_create(&threads[t], NULL, thread_main, &numbers[t]);
  }
  mode(0);
  for (int t = 1; t < THREADS; ++t) pthread_join(threads[t], NULL);
  for (int t = 0; t < THREADS; ++t) MPI_Comm_free(&comms[t]);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("errors %d\n", errors);
  MPI_Finalize();
  return errors != 0;
}
