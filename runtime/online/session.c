/* The way to the simulator: one call at a time, through memory that both share. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "call_path.h"
#include "calls.h"
#include "fold.h"
#include "functions.h"
#include "online.h"
#include "shared_process.h"

static struct slk_online_file* file;
static struct slk_online_rank* own;
static int own_rank;
static int depth;
static char* inside;            /* which thread is in a call: the address of its `calls_mpi` */
static const char* call_inside; /* and which one */
static uint32_t path_inside;    /* its call path */
static uint64_t all_at_begin, thread_at_begin; /* CPU time */
static uint64_t calls;                         /* of depth 1 */
static uint32_t readings;                      /* of the clock since the last answer */
static _Thread_local char calls_mpi; /* threads that never do are none of the rank's program */
static _Thread_local int in_mpi;
static uint32_t next_serial;
static uint32_t next_place = 1;
static uint32_t free_places[SLK_ONLINE_REQUESTS];
static uint32_t free_count;
static uint64_t computed_result;

static struct slk_online_rank* area(int rank) {
  return (struct slk_online_rank*)(void*)((char*)file + file->first +
                                          (uint64_t)rank * file->stride);
}

static uint64_t cpu_ns(void) {
  return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

static uint32_t threads_of_process(void) {
  char line[128];
  unsigned threads = 0;
  FILE* status = fopen("/proc/self/status", "re");
  if (status == NULL) return 0;
  while (fgets(line, sizeof line, status) != NULL && sscanf(line, "Threads: %u", &threads) != 1) {
  }
  fclose(status);
  return threads;
}

int simulated(void) {
  return own != NULL;
}
int world_rank(void) {
  return own_rank;
}
int world_size(void) {
  return (int)file->ranks;
}
const char* host_name(void) {
  return own->host;
}
int64_t* lists(void) {
  return own->lists;
}

/* Where the calls of MPI go from here on (calls.h). */
static void direct_calls(int to_simulator) {
  extern InterposedCall __start_slk_calls[], __stop_slk_calls[];
  for (InterposedCall* call = __start_slk_calls; call < __stop_slk_calls; ++call) {
    call->current = to_simulator ? call->simulated : call->real;
  }
}

/* What the simulator has set for its rank is not for what the rank starts. */
static void restore_environment(void) {
  static const char* const names[] = {SLK_ONLINE_SET_VARIABLES};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    char before[64];
    snprintf(before, sizeof before, SLK_ONLINE_BEFORE "%s", names[i]);
    const char* value = getenv(before);
    if (value == NULL || setenv(names[i], value, 1) != 0) unsetenv(names[i]);
    unsetenv(before);
  }
  unsetenv(SLK_ONLINE_VARIABLE);
  unsetenv(SLK_FOLD_VARIABLE);
}

static int is_file(int descriptor, struct slk_online_file* head) {
  return pread(descriptor, head, sizeof *head, 0) == (ssize_t)sizeof *head &&
         head->magic == SLK_ONLINE_MAGIC;
}

/* The simulator's file as it was inherited, or else, where that descriptor was closed, as the
 * simulator has it; -1 if it cannot be reached. */
static int open_file(int simulator, int descriptor, struct slk_online_file* head) {
  if (is_file(descriptor, head)) return descriptor;
  char name[64];
  snprintf(name, sizeof name, "/proc/%d/fd/%d", simulator, descriptor);
  const int opened = open(name, O_RDWR | O_CLOEXEC);
  if (opened < 0 || is_file(opened, head)) return opened;
  close(opened);
  return -1;
}

double cores(void) {
  return own->cores;
}

/* By the simulator; read once, as the environment is restored when the process is a rank. */
typedef struct {
  int simulator, descriptor, rank, ranks;
} Assignment;
static Assignment assigned;

static int is_assigned(void) {
  if (assigned.ranks > 1) return 1;
  const char* value = getenv(SLK_ONLINE_VARIABLE);
  return value != NULL && sscanf(value, "%d:%d:%d:%d", &assigned.simulator, &assigned.descriptor,
                                 &assigned.rank, &assigned.ranks) == 4;
}

int is_rank(void) {
  return simulated() || is_assigned();
}
int ranks_of_process(void) {
  return is_assigned() ? assigned.ranks : 0;
}

/* A rank that starts a program with a copy of the environment that it had before MPI_Init. */
__attribute__((constructor)) static void leave_to_parent(void) {
  if (!is_assigned()) return;
  struct slk_online_file head;
  const int opened = open_file(assigned.simulator, assigned.descriptor, &head);
  if (opened < 0) return;
  uint32_t process = 0;
  const uint64_t place = head.first + (uint64_t)assigned.rank * head.stride;
  pread(opened, &process, sizeof process,
        (off_t)(place + offsetof(struct slk_online_rank, process)));
  if (opened != assigned.descriptor) close(opened);
  if (process == 0) return;
  restore_environment();
  assigned.ranks = 0;
}

static void close_in_children(int descriptor) {
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

/* For all ranks of the process. */
static struct slk_online_file* map_file(void) {
  struct slk_online_file head;
  const int opened = open_file(assigned.simulator, assigned.descriptor, &head);
  if (opened < 0) {
    fprintf(stderr,
            "slackline: rank %d cannot reach the simulator: its file is not open. Start the "
            "program itself, not a script that closes descriptors.\n",
            own_rank);
    _exit(127);
  }
  void* at = mmap(NULL, head.first + head.ranks * head.stride, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_NORESERVE, opened, 0);
  if (at == MAP_FAILED) {
    fprintf(stderr, "slackline: rank %d cannot reach the simulator: %s\n", own_rank,
            strerror(errno));
    _exit(127);
  }
  slackline_fold_open();
  close_in_children(opened);
  if (getenv(SLK_FOLD_VARIABLE) != NULL) close_in_children(atoi(getenv(SLK_FOLD_VARIABLE)));
  restore_environment();
  pthread_atfork(NULL, NULL, detach);
  keep_file_of_process(at);
  return at;
}

void attach(void) {
  if (own != NULL || !is_assigned()) return;
  own_rank = assigned.rank + place_in_process();
  file = file_of_process();
  if (file == NULL) file = map_file();
  own = area(own_rank);
  uint32_t none = 0;
  if (!__atomic_compare_exchange_n(&own->process, &none, (uint32_t)getpid(), 0, __ATOMIC_ACQ_REL,
                                   __ATOMIC_RELAXED)) {
    own = NULL; /* another process is that rank */
    return;
  }
  calls_mpi = 1;
  own->threads_at_begin = shares_process() ? UINT32_MAX : threads_of_process();
  all_at_begin = cpu_ns();
  thread_at_begin = read_clock(CLOCK_THREAD_CPUTIME_ID);
  direct_calls(1);
  own->watched = watch_functions(file);
}

void detach(void) {
  own = NULL;
  direct_calls(0);
}

_Noreturn void refuse(const char* name, const char* why) {
  struct slk_online_call* call = new_call(SLK_OP_none, NULL);
  call->kind = SLK_ONLINE_REFUSED;
  snprintf(own->refused, sizeof own->refused, "%s: %s", name, why);
  ask();
  _exit(1);
}

void* room(const char* of, uint64_t bytes) {
  void* made = malloc(bytes + 1);
  if (made == NULL) refuse(of, "no memory is left");
  return made;
}

struct slk_online_call* new_call(enum slk_operation operation, const Comm* comm) {
  struct slk_online_call* call = &own->call;
  const uint64_t cpu = call->cpu_ns;
  memset(call, 0, sizeof *call);
  call->cpu_ns = cpu;
  call->result = computed_result;
  computed_result = 0;
  call->kind = SLK_ONLINE_CALL;
  call->operation = (uint32_t)operation;
  call->peer = SLK_PEER_NONE;
  call->comm = comm != NULL ? comm->id : SLK_COMM_WORLD;
  call->path = path_inside;
  return call;
}

static int is_free(void) {
  const char* in_call = __atomic_load_n(&inside, __ATOMIC_ACQUIRE);
  return in_call == NULL || in_call == &calls_mpi;
}

int is_of_program(void) {
  return simulated() && calls_mpi && is_free();
}

int is_computing(void) {
  return is_of_program() && depth == 0;
}

int is_in_mpi(void) {
  return in_mpi > 0;
}

void begin_mpi(void) {
  ++in_mpi;
  slackline_fold_pause(1);
}

void end_mpi(void) {
  --in_mpi;
  slackline_fold_pause(-1);
}

int try_enter_call(const char* name) {
  calls_mpi = 1;
  char* none = NULL;
  if (__atomic_load_n(&inside, __ATOMIC_RELAXED) != &calls_mpi &&
      !__atomic_compare_exchange_n(&inside, &none, &calls_mpi, 0, __ATOMIC_ACQUIRE,
                                   __ATOMIC_RELAXED)) {
    return 0;
  }
  if (depth++ > 0) return 1;
  __atomic_store_n(&call_inside, name, __ATOMIC_RELAXED);
  begin_mpi();
  ++calls;
  stop_clock();
  return 1;
}

/* The other thread has what this process hands its calls over by. */
void enter_call(const char* name, const void* frame) {
  if (try_enter_call(name)) {
    if (depth == 1 && file->keeps_paths) path_inside = slackline_call_path(frame, own);
    return;
  }
  const char* other = __atomic_load_n(&call_inside, __ATOMIC_RELAXED);
  snprintf(own->refused, sizeof own->refused, "%s during %s", name, other);
  uint32_t none = 0;
  __atomic_compare_exchange_n(&file->colliding, &none, (uint32_t)own_rank + 1, 0, __ATOMIC_RELEASE,
                              __ATOMIC_RELAXED);
  _exit(1);
}

uint64_t calls_made(void) {
  return calls;
}

uint64_t stop_clock(void) {
  own->call.cpu_ns += stretch_ns();
  return own->call.cpu_ns;
}

void start_clock(uint64_t charged_ns) {
  own->call.cpu_ns += charged_ns;
  begin_stretch();
}

struct slk_online_sampled* sampled_blocks(int of_all_ranks) {
  return of_all_ranks ? file->sampled : own->sampled;
}

void count_unsampled(void) {
  ++own->unsampled;
}

void leave_call(void) {
  if (depth == 1) complete_freed();
  if (--depth > 0) return;
  end_mpi();
  begin_stretch();
  __atomic_store_n(&inside, NULL, __ATOMIC_RELEASE);
}

void tell_threads(void) {
  if (shares_process()) return;
  own->threads_at_end = threads_of_process();
  /* Within the time of all threads, as the clocks are read one after the other. */
  const uint64_t of_this = read_clock(CLOCK_THREAD_CPUTIME_ID) - thread_at_begin;
  own->all_cpu_ns = cpu_ns() - all_at_begin;
  own->others_cpu_ns = of_this < own->all_cpu_ns ? own->all_cpu_ns - of_this : 0;
}

const struct slk_online_answer* last_answer(void) {
  return &own->answer;
}

void defer(void) {
  if (own->queued == SLK_ONLINE_QUEUE) {
    ask();
    return;
  }
  own->queue[own->queued++] = own->call;
  own->call.cpu_ns = 0;
}

const struct slk_online_answer* ask(void) {
  struct slk_online_rank* const mine = own;
  const int place = place_in_process();
  __atomic_store_n(&mine->turn, 0u, __ATOMIC_RELEASE);
  syscall(SYS_futex, &mine->turn, FUTEX_WAKE, 1, NULL, NULL, 0);
  yield_process();
  while (__atomic_load_n(&mine->turn, __ATOMIC_ACQUIRE) == 0) {
    syscall(SYS_futex, &mine->turn, FUTEX_WAIT, 0, NULL, NULL, 0);
  }
  resume_rank(place);
  own->call.cpu_ns = 0;
  own->queued = 0;
  readings = 0;
  return &own->answer;
}

/* What calls without an answer take is known once they have been handed over. */
static void flush(void) {
  if (!try_enter_call("a reading of the clock")) return;
  new_call(SLK_OP_none, NULL)->kind = SLK_ONLINE_FLUSH;
  ask();
  leave_call();
}

/* Where computation takes no time, a loop that waits for a date would not end: after many readings
 * in a row each passes a little more time than the one before. */
static void let_clock_advance(void) {
  enum { kReadings = 1000, kStep_ns = 1000 };
  if (file->seconds_per_cpu_ns > 0 || depth > 0 || !calls_mpi || ++readings < kReadings) return;
  const uint32_t so_far = readings;
  pass((uint64_t)(so_far - kReadings + 1) * kStep_ns);
  readings = so_far;
}

double simulated_now(void) {
  let_clock_advance();
  if (own->queued > 0 && depth == 0 && calls_mpi) flush();
  const uint64_t computed = own->call.cpu_ns + (depth == 0 ? stretch_ns() : 0);
  return own->answer.now + (double)computed * file->seconds_per_cpu_ns;
}

struct slk_online_request* request_at(uint32_t place) {
  return &own->requests[place];
}

uint32_t new_request(void) {
  uint32_t place = 0;
  if (free_count > 0) {
    place = free_places[--free_count];
  } else if (next_place < SLK_ONLINE_REQUESTS) {
    place = next_place++;
  } else {
    refuse("too many requests", "65,535 may be outstanding at a time");
  }
  renew_request(place);
  return place;
}

void renew_request(uint32_t place) {
  struct slk_online_request* request = &own->requests[place];
  memset(request, 0, sizeof *request);
  request->serial = ++next_serial;
}

void name_request(struct slk_online_call* call, uint32_t place) {
  call->place = place;
  call->serial = own->requests[place].serial;
}

void free_request(uint32_t place) {
  free_places[free_count++] = place;
}

char* shared_at(uint64_t offset) {
  return (char*)file + offset;
}
uint64_t heap_begin(void) {
  return file->first + (uint64_t)own_rank * file->stride + sizeof(struct slk_online_rank);
}
uint64_t heap_end(void) {
  return file->first + ((uint64_t)own_rank + 1) * file->stride;
}
void tell_result(uint64_t block) {
  computed_result = block;
}
