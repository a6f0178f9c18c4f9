/* What programs do with the process that they share with the recorder, and its children: each way
 * prints what came of it, which must be the same without the recorder. Of one rank, but for
 * `uneven`.
 *
 *   habits children | descriptors | threads | signals | plugins A.so B.so | deep LIBRARY.so | file
 * | limits | filtered | confined | unprivileged | uneven | becomes | leaf */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;

static long talked; /* calls of MPI_Sendrecv that talk() has made */

/* What must be in the recording. */
static void talk(int times, int tag) {
  int out = tag, in = 0;
  for (int i = 0; i < times; ++i) {
    MPI_Sendrecv(&out, 1, MPI_INT, 0, tag, &in, 1, MPI_INT, 0, tag, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
  }
  __atomic_add_fetch(&talked, times, __ATOMIC_RELAXED);
}

static void compute(long us) {
  struct timespec now, begin;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - begin.tv_sec) * 1000000 + (now.tv_nsec - begin.tv_nsec) / 1000 < us);
}

/* ---- Children. */

static const char* own_path;

static void block(void) {
  int ends[2];
  char c = 0;
  struct timespec time = {0, 100000};
  struct pollfd file = {-1, POLLIN, 0};
  struct timeval some = {0, 100};
  if (pipe(ends) != 0 || write(ends[1], "x", 1) != 1 || read(ends[0], &c, 1) != 1 || c != 'x')
    _exit(21);
  if (nanosleep(&time, NULL) != 0 || usleep(100) != 0 || poll(&file, 0, 1) != 0) _exit(22);
  if (select(0, NULL, NULL, NULL, &some) != 0 || sleep(0) != 0 || close(ends[0]) != 0) _exit(23);
  FILE* text = fopen("/dev/null", "w");
  if (text == NULL || fwrite("y", 1, 1, text) != 1 || fflush(text) != 0 || fclose(text) != 0)
    _exit(24);
}

static void* nothing(void* argument) {
  return argument;
}

static void reset_signals(void) {
  struct sigaction usual;
  memset(&usual, 0, sizeof usual);
  usual.sa_handler = SIG_DFL;
  for (int s = 1; s < _NSIG; ++s) {
    if (s != SIGKILL && s != SIGSTOP) sigaction(s, &usual, NULL);
  }
}

/* What a child with its own memory may do. */
static void be_child(int what) {
  pthread_t thread;
  block();
  if (what == 0) _exit(10);
  if (what == 1) exit(11);
  if (what == 2) abort();
  if (what == 3) {
    MPI_Pcontrol(7);
    MPI_Pcontrol(-7);
    _exit(13);
  }
  if (what == 4) {
    reset_signals();
    _exit(14);
  }
  if (what == 5) {
    if (pthread_create(&thread, NULL, nothing, NULL) != 0 || pthread_join(thread, NULL) != 0)
      _exit(25);
    pthread_exit(NULL); /* with the destructors of the thread's data */
  }
  if (what == 6) execl("/bin/sh", "sh", "-c", "exit 16", (char*)NULL);
  compute(20000); /* long enough to be sampled, if it were */
  _exit(17);
}

static void end_of(const char* way, int what, pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  printf("%s %d: %s %d\n", way, what, WIFEXITED(status) ? "exit" : "signal",
         WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
  fflush(stdout);
  talk(100, 1);
}

static int in_clone(void* what) {
  be_child((int)(intptr_t)what);
  return 0;
}

static void* fork_in_thread(void* what) {
  const pid_t child = fork();
  if (child == 0) be_child((int)(intptr_t)what);
  talk(10, 2);
  end_of("thread's fork", (int)(intptr_t)what, child);
  return NULL;
}

static void by_vfork(int resets) {
  const pid_t child = vfork();
  if (child == 0) {
    if (resets) reset_signals();
    close(open("/dev/null", O_RDONLY | O_CLOEXEC));
    execl("/bin/sh", "sh", "-c", "exit 18", (char*)NULL);
    _exit(19);
  }
  end_of("vfork", resets, child);
}

/* Without what makes it a process of this job. */
static void spawn_leaf(void) {
  static char* kept[256];
  size_t count = 0;
  for (char** v = environ; *v != NULL && count < 255; ++v) {
    const int of_job = strncmp(*v, "PMI", 3) == 0 || strncmp(*v, "OMPI_COMM", 9) == 0 ||
                       strncmp(*v, "OMPI_MCA_orte", 13) == 0 ||
                       strncmp(*v, "OMPI_MCA_ess", 12) == 0 ||
                       strncmp(*v, "OMPI_MCA_pmix", 13) == 0 || strncmp(*v, "HYDI", 4) == 0;
    if (!of_job) kept[count++] = *v;
  }
  char* const arguments[] = {(char*)(uintptr_t)own_path, (char*)(uintptr_t) "leaf", NULL};
  pid_t child = 0;
  const int error = posix_spawn(&child, own_path, NULL, NULL, arguments, kept);
  if (error != 0)
    printf("spawn: %s\n", strerror(error));
  else
    end_of("another job", 0, child);
}

static void children(void) {
  for (int what = 0; what <= 7; ++what) {
    const pid_t child = fork();
    if (child == 0) be_child(what);
    end_of("fork", what, child);
    const pid_t raw = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (raw == 0) be_child(what == 5 ? 0 : what);
    end_of("clone", what, raw);
  }
  static char stack[256 * 1024] __attribute__((aligned(64)));
  end_of("clone with a stack", 0, clone(in_clone, stack + sizeof stack, SIGCHLD, NULL));
  by_vfork(0);
  by_vfork(1);
  pthread_t thread;
  pthread_create(&thread, NULL, fork_in_thread, (void*)(intptr_t)3);
  pthread_join(thread, NULL);
  printf("system: %d\n", WEXITSTATUS(system("exit 5")));
  char line[16] = "";
  FILE* out = popen("echo six", "r");
  if (out == NULL || fgets(line, sizeof line, out) == NULL) return;
  printf("popen: %s", line);
  printf("pclose: %d\n", pclose(out));
  fflush(stdout);
  /* A daemon: its parent ends, and it goes on in another session without the program's files. */
  int ends[2];
  if (pipe(ends) != 0) return;
  const pid_t first = fork();
  if (first == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    for (int fd = 0; fd < 1024; ++fd) {
      if (fd != ends[1]) close(fd);
    }
    block();
    _exit(write(ends[1], "d", 1) == 1 ? 0 : 1);
  }
  close(ends[1]);
  end_of("daemon", 0, first);
  printf("daemon says: %zd\n", read(ends[0], line, 1));
  spawn_leaf();
  talk(100, 3);
}

/* ---- Descriptors. */

static int is_foreign(int fd) {
  char path[64], target[PATH_MAX];
  struct stat what;
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  const ssize_t n = readlink(path, target, sizeof target - 1);
  if (n <= 0 || fstat(fd, &what) != 0) return 0;
  target[n] = '\0';
  return S_ISREG(what.st_mode) || strstr(target, "perf_event") != NULL;
}

/* All regular files that the program has not opened, as a daemon or a starter of processes does:
 * closed, or become another file. MPI's sockets are left alone. */
static void take_all(int other) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  const int most = limit.rlim_cur < 65536 ? (int)limit.rlim_cur : 65536;
  for (int fd = 3; fd < most; ++fd) {
    if (fd == other || !is_foreign(fd)) continue;
    if (other >= 0)
      dup2(other, fd);
    else
      close(fd);
  }
}

static void results(const char* of, int count, int* files) {
  char name[64];
  for (int i = 0; i < count; ++i) {
    snprintf(name, sizeof name, "result-%s-%d", of, i);
    files[i] = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (files[i] < 0 || write(files[i], "ten bytes\n", 10) != 10) printf("cannot write %s\n", name);
  }
}

static void sizes(const char* of, int count) {
  char name[64];
  struct stat what;
  for (int i = 0; i < count; ++i) {
    snprintf(name, sizeof name, "result-%s-%d", of, i);
    printf("%s: %ld bytes\n", name, stat(name, &what) == 0 ? (long)what.st_size : -1L);
  }
  fflush(stdout);
}

enum { kFiles = 10, kStages = 6000 };

static void descriptors(void) {
  int files[kFiles];
  talk(kStages, 1);
  take_all(-1);
  results("closed", kFiles, files);
  talk(kStages, 1);
  compute(30000);
  sizes("closed", kFiles);
  /* The same again, as the recorder may have opened its file anew. */
  for (int i = 0; i < kFiles; ++i) close(files[i]);
  take_all(-1);
  results("again", kFiles, files);
  talk(kStages, 1);
  sizes("again", kFiles);
  int target = open("result-target-0", O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (write(target, "ten bytes\n", 10) != 10) return;
  take_all(target);
  talk(kStages, 1);
  sizes("target", 1);
  /* One number is closed twice, and is a file of the recorder's in between, if it makes any. */
  int twice = open("/dev/null", O_RDONLY);
  close(twice);
  talk(kStages, 1);
  close(twice);
  results("twice", kFiles, files);
  talk(kStages, 1);
  sizes("twice", kFiles);
  if (chdir("/") == 0) talk(kStages, 1);
}

/* ---- Threads. */

enum { kThreads = 4, kRounds = 150 };
static pthread_key_t key;

static void destroy(void* value) {
  const int rounds = (int)(intptr_t)value;
  talk(5, 40);
  if (rounds > 1) pthread_setspecific(key, (void*)(intptr_t)(rounds - 1));
}

static void* short_lived(void* tag) {
  pthread_setspecific(key, (void*)(intptr_t)2);
  talk(5, 40 + (int)(intptr_t)tag);
  return NULL;
}

static void threads(void) {
  pthread_key_create(&key, destroy);
  for (int round = 0; round < kRounds; ++round) {
    pthread_t thread[kThreads];
    for (intptr_t i = 0; i < kThreads; ++i) pthread_create(&thread[i], NULL, short_lived, (void*)i);
    for (int i = 0; i < kThreads; ++i) pthread_join(thread[i], NULL);
  }
  printf("threads: done\n");
}

/* ---- Signals: a call that no signal of the program's ends must not fail with EINTR, and one that
 * it does end must. */

static volatile sig_atomic_t alarms;
static void on_alarm(int number) {
  alarms += number != 0;
}

static int ends[2], polled, set;
static sem_t semaphore;
static sigset_t waited;

static struct timespec after_ns(long ns) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  ns += until.tv_nsec;
  until.tv_sec += ns / 1000000000;
  until.tv_nsec = ns % 1000000000;
  return until;
}

enum { kWithTime = 13 }; /* those that wait for the time given */

/* Waits up to that time in one of many ways. */
static const char* wait_by(int way, long ns) {
  const struct timespec time = {ns / 1000000000, ns % 1000000000};
  const struct timespec until = after_ns(ns);
  const int ms = (int)((ns + 999999) / 1000000);
  struct pollfd file = {ends[0], POLLIN, 0};
  struct timeval some = {ns / 1000000000, ns % 1000000000 / 1000};
  struct epoll_event event;
  struct sembuf take = {0, -1, 0};
  fd_set files;
  FD_ZERO(&files);
  FD_SET(ends[0], &files);
  errno = 0;
  switch (way) {
    case 0:
      nanosleep(&time, NULL);
      return "nanosleep";
    case 1:
      errno = clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
      return "clock_nanosleep";
    case 2:
      errno = clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL);
      return "clock_nanosleep until";
    case 3:
      usleep((useconds_t)(ns / 1000));
      return "usleep";
    case 4:
      poll(&file, 1, ms);
      return "poll";
    case 5:
      ppoll(&file, 1, &time, NULL);
      return "ppoll";
    case 6:
      select(ends[0] + 1, &files, NULL, NULL, &some);
      return "select";
    case 7:
      pselect(ends[0] + 1, &files, NULL, NULL, &time, NULL);
      return "pselect";
    case 8:
      epoll_wait(polled, &event, 1, ms);
      return "epoll_wait";
    case 9:
      epoll_pwait(polled, &event, 1, ms, NULL);
      return "epoll_pwait";
    case 10:
      sem_timedwait(&semaphore, &until);
      return "sem_timedwait";
    case 11:
      sigtimedwait(&waited, NULL, &time);
      return "sigtimedwait";
    case 12:
      semtimedop(set, &take, 1, &time);
      return "semtimedop";
    case 13:
      recv(ends[0], &event, 1, 0);
      return "recv with a time limit";
    default:
      return NULL;
  }
}

static void signals(void) {
  enum { kLoops = 80 };
  struct timeval receiving = {0, 60};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return;
  setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &receiving, sizeof receiving);
  polled = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event interest = {EPOLLIN, {0}};
  epoll_ctl(polled, EPOLL_CTL_ADD, ends[0], &interest);
  sem_init(&semaphore, 0, 0);
  set = semget(IPC_PRIVATE, 1, 0600);
  sigemptyset(&waited);
  sigaddset(&waited, SIGUSR1);
  sigprocmask(SIG_BLOCK, &waited, NULL);
  for (int way = 0; wait_by(way, 1000) != NULL; ++way) {
    int interrupted = 0;
    for (int i = 0; i < kLoops; ++i) {
      compute(20 + i % 90);
      interrupted += (wait_by(way, 60000), errno == EINTR);
    }
    printf("%s: %d interrupted\n", wait_by(way, 1000), interrupted);
  }
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_alarm;
  sigaction(SIGALRM, &action, NULL);
  for (int way = 0; way < kWithTime; ++way) {
    const struct itimerval soon = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    setitimer(ITIMER_REAL, &soon, NULL);
    const char* name = wait_by(way, 20000000000);
    const int ended = errno == EINTR;
    setitimer(ITIMER_REAL, &never, NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%s: %s by the alarm\n", name,
           ended && end.tv_sec - begin.tv_sec < 10 ? "ended" : "not ended");
  }
  const struct itimerval soon = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
  for (int i = 0; i < 5; ++i) {
    setitimer(ITIMER_REAL, &soon, NULL);
    pause();
    setitimer(ITIMER_REAL, &never, NULL);
  }
  setitimer(ITIMER_REAL, &soon, NULL);
  const unsigned left = sleep(20);
  setitimer(ITIMER_REAL, &never, NULL);
  printf("pause and sleep: %s\n", left > 10 && alarms > 5 ? "ended by the alarm" : "wrong");
  semctl(set, 0, IPC_RMID);
  talk(100, 1);
}

/* ---- Libraries. */

static void call_library(const char* path, int flags, int closes) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL | flags);
  void (*work)(MPI_Comm) = NULL; /* the library may have constants of its own */
  if (library != NULL) *(void**)&work = dlsym(library, "work");
  if (work == NULL) {
    printf("cannot open %s\n", path);
    return;
  }
  work(MPI_COMM_SELF);
  if (closes) dlclose(library);
}

static void file(void) {
  MPI_File file;
  MPI_File_open(MPI_COMM_SELF, "result-file-0", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                &file);
  MPI_File_set_atomicity(file, 1);
  MPI_File_close(&file);
}

/* ---- Limits that a process sets for itself: sizes of files, descriptors, system calls, the file
 * system and rights. Then it makes calls of MPI, in a new thread as well, which would have files.
 */

static void* talk_in_thread(void* tag) {
  talk(100, (int)(intptr_t)tag);
  return NULL;
}

static void talk_on(void) {
  pthread_t thread;
  talk(8000, 1);
  pthread_create(&thread, NULL, talk_in_thread, (void*)2);
  pthread_join(thread, NULL);
}

static void limits(void) {
  struct rlimit sizes, files, small = {4096, 4096};
  getrlimit(RLIMIT_FSIZE, &sizes);
  getrlimit(RLIMIT_NOFILE, &files);
  small.rlim_max = sizes.rlim_max;
  setrlimit(RLIMIT_FSIZE, &small);
  small.rlim_cur = 3, small.rlim_max = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &small);
  talk_on();
  printf("limits: open %s\n", open("/", O_RDONLY) < 0 ? strerror(errno) : "works");
  setrlimit(RLIMIT_NOFILE, &files);
  setrlimit(RLIMIT_FSIZE, &sizes);
}

/* Files cannot be opened any more, nor events and timers. */
static void filtered(void) {
  const int refused[] = {SYS_openat, SYS_perf_event_open, SYS_timer_create, SYS_pwrite64};
  enum { kRefused = sizeof refused / sizeof *refused };
  struct sock_filter rules[kRefused + 3];
  rules[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0);
  for (int i = 0; i < kRefused; ++i) {
    const unsigned char to_refusal = (unsigned char)(kRefused - i);
    rules[1 + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)refused[i],
                                                to_refusal, 0);
  }
  rules[kRefused + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  rules[kRefused + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  const struct sock_fprog program = {kRefused + 3, rules};
  const int ready = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  talk_on();
  printf("filtered: %d, open %s\n", ready, open("/", O_RDONLY) < 0 ? strerror(errno) : "works");
}

static void confined(void) {
  mkdir("jail", 0755);
  const int inside = chroot("jail") == 0 && chdir("/") == 0;
  talk_on();
  printf("confined: %d, %s\n", inside, access("/proc", F_OK) == 0 ? "sees all" : "sees little");
}

static void unprivileged(void) {
  const int left = setresgid(65534, 65534, 65534) == 0 && setresuid(65534, 65534, 65534) == 0;
  talk_on();
  printf("unprivileged: %d, user %d\n", left, left ? (int)getuid() : 0);
}

/* One rank has a nonblocking collective that the others do not know: an error that shows in no
 * result. */
static void uneven(void) {
  int rank = 0, x = 1;
  MPI_Request request;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  MPI_Ibcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The process itself becomes another program, at the second try. */
static void become(void) {
  execl("/nowhere", "nowhere", (char*)NULL);
  compute(20000);
  execlp("sh", "sh", "-c", "exit 4", (char*)NULL);
}

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  own_path = argv[0];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "children") == 0) children();
    if (strcmp(argv[i], "descriptors") == 0) descriptors();
    if (strcmp(argv[i], "threads") == 0) threads();
    if (strcmp(argv[i], "signals") == 0) signals();
    if (strcmp(argv[i], "file") == 0) file();
    if (strcmp(argv[i], "limits") == 0) limits();
    if (strcmp(argv[i], "filtered") == 0) filtered();
    if (strcmp(argv[i], "confined") == 0) confined();
    if (strcmp(argv[i], "unprivileged") == 0) unprivileged();
    if (strcmp(argv[i], "uneven") == 0) uneven();
    if (strcmp(argv[i], "deep") == 0) call_library(argv[++i], RTLD_DEEPBIND, 0);
    if (strcmp(argv[i], "plugins") == 0) {
      call_library(argv[++i], 0, 1);
      call_library(argv[++i], 0, 1);
    }
    if (strcmp(argv[i], "leaf") == 0) talk(50, 1);
  }
  talk(10, 1);
  printf("talked %ld\n", talked);
  fflush(stdout);
  if (strcmp(argv[argc - 1], "becomes") == 0) become();
  MPI_Finalize();
  return 3;
}
