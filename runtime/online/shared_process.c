/* Each rank of a process is a thread that calls main(). One computes at a time; the writable memory
 * of the program's file and of this library is mapped for it from a file in memory that has it once
 * for each of them, so that each has its own global variables. What all share is reached by
 * pointers that are the same in all copies: MPI's library, the C library, the heap. */
#include "shared_process.h"

#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "online.h"
#include "record/blocking.h"

enum { kParts = 8, kPage = 4096, kShared = 1024, kCarried = 1 << 18 };
#if defined(__x86_64__)
enum { kPlacedVariable = R_X86_64_COPY };
#else
enum { kPlacedVariable = R_AARCH64_COPY };
#endif

typedef int Main(int, char**, char**);

typedef struct {
  char* begin;
  size_t bytes;
  off_t at; /* in a rank's copy */
} Part;

/* A variable of a library that the linker has placed in the program's file: MPI_COMM_WORLD of Open
 * MPI, say. All ranks have it in common. */
typedef struct {
  char* at;
  size_t bytes;
} Shared;

/* Outside of what is copied. */
typedef struct {
  pthread_mutex_t computing; /* by the thread whose memory is there, or is about to be */
  int mapped;                /* the place of that rank */
  int started, ended, ranks;
  int begun, finished; /* how many have called MPI_Init, and MPI_Finalize */
  int status;          /* the largest one */
  int copies;          /* descriptor */
  off_t copy_bytes;
  int n_parts;
  Part parts[kParts];
  int n_shared;
  Shared shared[kShared];
  char carried[kCarried]; /* from one copy to the next */
  struct slk_online_file* file;
  Main* main;
  int argc;
  char** argv;
} Process;

static Process* process; /* null: there is one rank */
static int place;
static Main* main_of_program;

int shares_process(void) {
  return process != NULL;
}
int place_in_process(void) {
  return place;
}
struct slk_online_file* file_of_process(void) {
  return process == NULL ? NULL : process->file;
}
void keep_file_of_process(struct slk_online_file* file) {
  if (process != NULL) process->file = file;
}
int is_first_to_begin(void) {
  return process == NULL || process->begun++ == 0;
}
int is_last_to_end(void) {
  return process == NULL || ++process->finished == process->ranks;
}

_Noreturn void refuse_to_share(const char* why) {
  fprintf(stderr,
          "slackline: several ranks cannot share a process: %s. Use --ranks-per-process 1.\n", why);
  _exit(1);
}

static int is_in_copies(const Process* of, const void* at) {
  for (int i = 0; of != NULL && i < of->n_parts; ++i) {
    const char* begin = of->parts[i].begin;
    if ((const char*)at >= begin && (const char*)at < begin + of->parts[i].bytes) return 1;
  }
  return 0;
}

int is_own_variable(const void* at) {
  return is_in_copies(process, at);
}

static void carry(Process* of, int into_program) {
  char* carried = of->carried;
  for (int i = 0; i < of->n_shared; ++i) {
    const Shared* shared = &of->shared[i];
    memcpy(into_program ? shared->at : carried, into_program ? carried : shared->at, shared->bytes);
    carried += shared->bytes;
  }
}

static void map_copy(Process* of, int copy) {
  if (of->mapped == copy) return;
  of->mapped = copy;
  carry(of, 0);
  for (int i = 0; i < of->n_parts; ++i) {
    const Part* part = &of->parts[i];
    void* at = mmap(part->begin, part->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                    of->copies, copy * of->copy_bytes + part->at);
    if (at == MAP_FAILED) refuse_to_share("the system maps no more memory");
  }
  carry(of, 1);
}

static void* run_rank(void* its_place);

/* As a process has; what of it is not touched takes no memory. */
static size_t stack_bytes(void) {
  const size_t most = (size_t)1 << 28;
  struct rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur > most) return most;
  return limit.rlim_cur;
}

static void start_next(Process* of) {
  if (of->started == of->ranks) return;
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes());
  void* its_place = (void*)(intptr_t)of->started++;
  begin_mpi(); /* it is none of the program's threads */
  const int failed = pthread_create(&thread, &attributes, run_rank, its_place);
  end_mpi();
  pthread_attr_destroy(&attributes);
  if (failed) refuse_to_share("the system starts no more threads (ulimit -u)");
  pthread_detach(thread);
}

void yield_process(void) {
  Process* of = process;
  if (of == NULL) return;
  start_next(of);
  pthread_mutex_unlock(&of->computing);
}

/* `process` is the same in every copy. */
void resume_rank(int copy) {
  Process* of = process;
  if (of == NULL) return;
  pthread_mutex_lock(&of->computing);
  map_copy(of, copy);
}

_Noreturn static void end_process(int status) {
  static void (*real)(int);
  if (real == NULL) *(void**)(void*)&real = slk_find_next("exit");
  real(status);
  _exit(status);
}

/* A rank that ends between MPI_Init and MPI_Finalize would let others wait forever. */
static void end_rank(int status) {
  Process* of = process;
  if (simulated()) {
    fflush(NULL);
    _exit(status);
  }
  if (status > of->status) of->status = status;
  if (++of->ended == of->ranks) end_process(of->status);
  yield_process();
}

static void* run_rank(void* its_place) {
  resume_rank((int)(intptr_t)its_place);
  Process* of = process;
  place = (int)(intptr_t)its_place;
  begin_threads();
  optind = 1;
  char** argv = malloc(((size_t)of->argc + 1) * sizeof *argv);
  if (argv == NULL) refuse_to_share("no memory is left");
  for (int i = 0; i < of->argc; ++i) argv[i] = strdup(of->argv[i]);
  argv[of->argc] = NULL;
  end_rank(of->main(of->argc, argv, environ));
  return NULL;
}

EXPORT _Noreturn void exit(int status) {
  if (process == NULL || process->started == 0) end_process(status);
  end_rank(status);
  for (;;) pause();
}

static void add_part(Process* to, uint64_t begin, uint64_t end) {
  if (begin >= end) return;
  if (to->n_parts == kParts) refuse_to_share("its files have too many parts");
  to->parts[to->n_parts++] = (Part){(char*)(uintptr_t)begin, end - begin, to->copy_bytes};
  to->copy_bytes += (off_t)(end - begin);
}

static void add_shared(Process* to, const struct dl_phdr_info* program) {
  const ElfW(Dyn)* entry = NULL;
  for (int i = 0; i < program->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &program->dlpi_phdr[i];
    const uint64_t at = program->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_DYNAMIC) entry = (const void*)(uintptr_t)at;
  }
  const ElfW(Rela)* places = NULL;
  const ElfW(Sym)* symbols = NULL;
  size_t bytes = 0, all = 0;
  for (; entry != NULL && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_RELA) places = (const void*)(uintptr_t)entry->d_un.d_ptr;
    if (entry->d_tag == DT_RELASZ) bytes = entry->d_un.d_val;
    if (entry->d_tag == DT_SYMTAB) symbols = (const void*)(uintptr_t)entry->d_un.d_ptr;
  }
  for (size_t i = 0; places != NULL && symbols != NULL && i < bytes / sizeof *places; ++i) {
    if (ELF64_R_TYPE(places[i].r_info) != kPlacedVariable) continue;
    char* at = (char*)(uintptr_t)(program->dlpi_addr + places[i].r_offset);
    if (!is_in_copies(to, at)) continue; /* a constant */
    const size_t size = symbols[ELF64_R_SYM(places[i].r_info)].st_size;
    all += size;
    if (to->n_shared == kShared || all > kCarried)
      refuse_to_share("it has too many variables of libraries");
    to->shared[to->n_shared++] = (Shared){at, size};
  }
}

/* The writable parts of the program, the first file, and of this library, without what is read-only
 * once the loader has been there. */
static int add_parts(struct dl_phdr_info* info, size_t size, void* to) {
  (void)size;
  const uint64_t page = kPage;
  Process* of = to;
  const uint64_t own = (uint64_t)(uintptr_t)&process;
  uint64_t fixed_begin = 0, fixed_end = 0;
  int is_own = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &info->dlpi_phdr[i];
    const uint64_t begin = info->dlpi_addr + part->p_vaddr, end = begin + part->p_memsz;
    is_own |= part->p_type == PT_LOAD && own >= begin && own < end;
    if (part->p_type != PT_GNU_RELRO) continue;
    fixed_begin = begin / page * page;
    fixed_end = end / page * page;
  }
  if (!is_own && of->n_parts > 0) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &info->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || (part->p_flags & PF_W) == 0) continue;
    const uint64_t begin = (info->dlpi_addr + part->p_vaddr) / page * page;
    const uint64_t end = (info->dlpi_addr + part->p_vaddr + part->p_memsz + page - 1) / page * page;
    if (fixed_begin >= begin && fixed_end <= end) {
      add_part(of, begin, fixed_begin);
      add_part(of, fixed_end, end);
    } else {
      add_part(of, begin, end);
    }
  }
  if (!is_own) add_shared(of, info);
  return is_own;
}

static int is_zero(const char* page) {
  static const char zeros[kPage];
  return memcmp(page, zeros, kPage) == 0;
}

/* As they are before main(). Pages that are zero take no memory. */
static void write_copies(const Process* of) {
  for (int copy = 0; copy < of->ranks; ++copy) {
    for (int i = 0; i < of->n_parts; ++i) {
      const Part* part = &of->parts[i];
      for (size_t at = 0; at < part->bytes; at += kPage) {
        if (is_zero(part->begin + at)) continue;
        const off_t to = copy * of->copy_bytes + part->at + (off_t)at;
        if (pwrite(of->copies, part->begin + at, kPage, to) != kPage)
          refuse_to_share("no memory is left");
      }
    }
  }
}

/* A child of a rank has the memory for itself, as usual. It is never without it: the way to the
 * C library's functions is part of it. UCX replaces mremap(). */
static void keep_copy(void) {
  Process* of = process;
  if (of == NULL) return;
  for (int i = 0; i < of->n_parts; ++i) {
    const Part part = of->parts[i];
    char* kept = mmap(NULL, part.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (kept == MAP_FAILED) _exit(1);
    for (size_t at = 0; at < part.bytes; at += kPage) {
      if (!is_zero(part.begin + at)) memcpy(kept + at, part.begin + at, kPage);
    }
    const long moved = syscall(SYS_mremap, kept, part.bytes, part.bytes,
                               MREMAP_MAYMOVE | MREMAP_FIXED, part.begin);
    if (moved != (long)(intptr_t)part.begin) _exit(1);
  }
  process = NULL;
}

static int run_ranks(int argc, char** argv, char** environment) {
  (void)environment;
  Process* of = mmap(NULL, sizeof *of, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (of == MAP_FAILED) refuse_to_share("no memory is left");
  pthread_mutex_init(&of->computing, NULL);
  of->ranks = ranks_of_process();
  of->mapped = -1;
  of->main = main_of_program;
  of->argc = argc;
  of->argv = argv;
  dl_iterate_phdr(add_parts, of);
  of->copies = memfd_create("slackline-ranks", MFD_CLOEXEC);
  if (of->copies < 0 || ftruncate(of->copies, of->ranks * of->copy_bytes) != 0) {
    refuse_to_share("no memory is left");
  }
  pthread_atfork(NULL, NULL, keep_copy);
  process = of;
  write_copies(of);
  pthread_mutex_lock(&of->computing);
  yield_process();
  for (;;) pause();
}

/* The program's main() is known to the C library only. */
EXPORT int __libc_start_main(Main* main, int argc, char** argv, void (*begin)(void),
                             void (*end)(void), void (*loader_end)(void), void* stack) {
  typedef int Start(Main*, int, char**, void (*)(void), void (*)(void), void (*)(void), void*);
  Start* real;
  *(void**)(void*)&real = slk_find_next("__libc_start_main");
  main_of_program = main;
  return real(ranks_of_process() > 1 ? run_ranks : main, argc, argv, begin, end, loader_end, stack);
}
