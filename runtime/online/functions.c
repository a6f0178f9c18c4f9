/* Functions of the program that are sampled without a mark (doc/online-simulation.md).
 *
 * A breakpoint where each begins, and one behind its call while it is executed, say how long it
 * takes. Functions that are short, call MPI or change what the rest of the program needs lose
 * theirs the first times that they are executed. The others are skipped, by call site, once the
 * last executions have taken about the same time: the breakpoint's handler returns in their place.
 */
#include "functions.h"

#if defined(__x86_64__)

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#include "online.h"

enum {
  kBreakpoint = 0xcc,
  kTimed = 8,   /* executions that the distribution is of, the latest ones */
  kTries = 200, /* executions after which a function is left alone if it still varies */
  kPeriod = 32, /* of so many executions one is not skipped, which shows changes */
  kDeepest = 64,
  kShortest_ns = 100000
};
static const double kVariation = 0.05; /* standard deviation over mean */

typedef struct {
  uint64_t integer;
  unsigned char real[16];
} Results;

/* A function at one of the places that it is called from. */
typedef struct Block {
  struct Block* next; /* of the same function */
  uint64_t site;
  struct slk_online_sampled* told; /* null until an execution was long enough */
  double timed_ns[kTimed];
  uint32_t executed;
  uint32_t in_row; /* that were skipped */
  int is_skipped;
  uint32_t cold; /* executions to come whose memory may be touched for the first time, or lately */
  Results results; /* of the last execution */
  int integer_differs, real_differs;
} Block;

enum { kJumpBytes = 5 };

typedef struct {
  Block* blocks;
  uint8_t first_bytes[kJumpBytes];
  uint8_t is_watched;
  uint32_t detour; /* 1 + its place; 0: none */
} Function;

typedef struct {
  uint32_t function;
  Block* block;
  uint8_t* behind; /* its call */
  uint8_t byte_behind;
  uint64_t stack;
  int is_checked; /* for what it changes, which costs caches that timed ones are to have */
  uint64_t computed_ns, calls, allocated, written;
} Execution;

static const struct slk_online_function* known; /* by their begin */
static uint32_t n_known;
static Function* functions;
static Execution executions[kDeepest]; /* under way, outermost first */
static int depth;
static uint64_t base, text_begin, text_end; /* of the program's file */
static uint64_t breakpoint_ns;              /* what one costs */
static int is_measuring;
static uint64_t random_state;
static struct sigaction before;

static void write_code(uint8_t* at, uint8_t byte) {
  *(volatile uint8_t*)at = byte;
}

static uint8_t* begin_of(uint32_t function) {
  return (uint8_t*)(uintptr_t)(base + known[function].begin);
}

/* The first byte is the last that changes: other threads come by. */
static void write_begin(uint32_t function, const uint8_t* bytes) {
  uint8_t* begin = begin_of(function);
  write_code(begin, kBreakpoint);
  for (int i = 1; i < kJumpBytes; ++i) write_code(begin + i, bytes[i]);
  write_code(begin, bytes[0]);
}

static void watch(uint32_t function) {
  functions[function].is_watched = 1;
  write_code(begin_of(function), kBreakpoint);
}

static void suspend(uint32_t function) {
  write_begin(function, functions[function].first_bytes);
}

static void leave_alone(uint32_t function) {
  suspend(function);
  functions[function].is_watched = 0;
}

/* -1: none begins there. */
static int64_t function_at(const uint8_t* at) {
  const uint64_t begin = (uint64_t)(uintptr_t)at - base;
  uint32_t first = 0, last = n_known;
  while (first < last) {
    const uint32_t middle = (first + last) / 2;
    if (known[middle].begin < begin)
      first = middle + 1;
    else
      last = middle;
  }
  return first < n_known && known[first].begin == begin ? (int64_t)first : -1;
}

/* Whether the code before `behind` calls the function that begins at `begin`, as far as it says
 * which: a function that was jumped to has another one's call behind it. */
static int is_call(const uint8_t* behind, const uint8_t* begin) {
  const uint64_t at = (uint64_t)(uintptr_t)behind;
  enum { kLongest = 7 };
  if (at < text_begin + kLongest || at >= text_end) return 0;
  if (behind[-5] == 0xe8) {
    int32_t distance;
    memcpy(&distance, behind - 4, sizeof distance);
    if (behind + distance == begin) return 1;
  }
  for (int length = 2; length <= kLongest; ++length) {
    if (behind[-length] == 0xff && (behind[-length + 1] & 0x38) == 0x10) return 1;
  }
  return 0;
}

/* Null: there is no memory for it. */
static Block* block_of(uint32_t function, uint64_t behind) {
  const uint64_t site = behind - base;
  for (Block* block = functions[function].blocks; block != NULL; block = block->next) {
    if (block->site == site) return block;
  }
  Block* block = calloc(1, sizeof *block);
  if (block == NULL) return NULL;
  block->site = site;
  block->cold = 2;
  block->next = functions[function].blocks;
  functions[function].blocks = block;
  return block;
}

/* False: no place is left. */
static int tell(uint32_t function, Block* block) {
  char name[64];
  snprintf(name, sizeof name, "function %u at 0x%llx", function, (unsigned long long)block->site);
  block->told = sampled_block(0, name);
  if (block->told == NULL) {
    count_unsampled();
    return 0;
  }
  block->told->function = function + 1;
  block->told->site = block->site;
  return 1;
}

static uint64_t allocated_bytes(void) {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/* To files, and to what will go to the standard output. */
static uint64_t written_bytes(void) {
  char text[512];
  unsigned long long written = 0;
  const int io = open("/proc/self/io", O_RDONLY | O_CLOEXEC);
  const ssize_t n = io < 0 ? 0 : read(io, text, sizeof text - 1);
  if (io >= 0) close(io);
  text[n > 0 ? n : 0] = '\0';
  const char* found = strstr(text, "wchar:");
  if (found != NULL) sscanf(found, "wchar: %llu", &written);
  return written + __fpending(stdout);
}

static double variation(const Block* block) {
  double sum = 0, squares = 0;
  for (int i = 0; i < kTimed; ++i) sum += block->timed_ns[i];
  const double mean = sum / kTimed;
  for (int i = 0; i < kTimed; ++i) {
    squares += (block->timed_ns[i] - mean) * (block->timed_ns[i] - mean);
  }
  return sqrt(squares / (kTimed - 1)) / mean;
}

/* What the function returned each time can be returned for it. */
static int is_repeatable(const struct slk_online_function* function, const Block* block) {
  if (function->is_named) return 1;
  switch (function->result) {
    case SLK_RESULT_none:
      return 1;
    case SLK_RESULT_integer:
      return !block->integer_differs;
    case SLK_RESULT_real:
      return !block->real_differs;
    case SLK_RESULT_unknown:
      return !block->integer_differs && !block->real_differs;
    default:
      return 0;
  }
}

static void give_up(uint32_t function, Block* block, enum slk_online_unsampled why) {
  if (block->told != NULL) block->told->unsampled = why;
  functions[function].is_watched = 0;
}

/* Whether it is worth more than its breakpoints: an execution was long, of the first ones. */
static int is_long(uint32_t function, Block* block, double ns) {
  enum { kFirst = 3 };
  if (block->told != NULL) return 1;
  const int is_long = ns >= kShortest_ns || known[function].is_named;
  if (is_long && tell(function, block)) return 1;
  if (is_long || block->executed >= kFirst) give_up(function, block, SLK_UNSAMPLED_not);
  return 0;
}

static void judge(uint32_t function, Block* block, double ns) {
  if (block->cold > 0) {
    --block->cold;
    ++block->told->untimed;
    block->told->untimed_ns += ns;
    return;
  }
  block->timed_ns[block->told->runs % kTimed] = ns;
  add_run(block->told, ns);
  if (block->told->runs < kTimed) return;
  const double most = block->is_skipped ? 2 * kVariation : kVariation;
  const int varies = !known[function].is_named && variation(block) > most;
  block->is_skipped = !varies && is_repeatable(&known[function], block);
  block->cold = block->is_skipped ? 1 : 0;
  block->in_row = 0;
  if (block->is_skipped || block->executed < kTries) return;
  give_up(function, block, varies ? SLK_UNSAMPLED_varies : SLK_UNSAMPLED_result);
}

static void note_results(Block* block, const mcontext_t* at) {
  Results now;
  now.integer = (uint64_t)at->gregs[REG_RAX];
  memcpy(now.real, at->fpregs->_xmm, sizeof now.real);
  if (block->executed > 1) {
    block->integer_differs |= now.integer != block->results.integer;
    block->real_differs |= memcmp(now.real, block->results.real, sizeof now.real) != 0;
  }
  block->results = now;
}

static void note(const Execution* execution, uint64_t computed_ns, const mcontext_t* at) {
  Block* block = execution->block;
  const uint32_t function = execution->function;
  const uint64_t all_ns = computed_ns - execution->computed_ns;
  const double ns = all_ns > breakpoint_ns ? (double)(all_ns - breakpoint_ns) : 0;
  ++block->executed;
  note_results(block, at);
  if (calls_made() != execution->calls) {
    if (known[function].is_named && block->told == NULL) tell(function, block);
    give_up(function, block, SLK_UNSAMPLED_calls);
  } else if (!is_long(function, block, ns)) {
    return;
  } else if (execution->is_checked && allocated_bytes() != execution->allocated) {
    give_up(function, block, SLK_UNSAMPLED_allocates);
  } else if (execution->is_checked && written_bytes() != execution->written) {
    give_up(function, block, SLK_UNSAMPLED_writes);
  } else {
    judge(function, block, ns);
  }
}

static uint64_t next_random(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

/* ns to be charged. */
static uint64_t skip(Block* block) {
  const double ns = block->timed_ns[next_random() % kTimed];
  ++block->in_row;
  ++block->told->skipped;
  block->told->charged_ns += ns;
  return (uint64_t)ns;
}

static void begin_execution(uint32_t function, Block* block, uint64_t stack, uint64_t behind) {
  uint8_t* code = (uint8_t*)(uintptr_t)behind;
  if (depth == kDeepest || *code == kBreakpoint) { /* of a call around this one */
    leave_alone(function);
    return;
  }
  /* What a program sets up the first time is not what it needs each time. */
  const int checked = block->cold > 0 && block->executed > 0 && !known[function].is_named;
  executions[depth++] = (Execution){.function = function,
                                    .block = block,
                                    .behind = code,
                                    .byte_behind = *code,
                                    .stack = stack,
                                    .is_checked = checked,
                                    .calls = calls_made(),
                                    .allocated = checked ? allocated_bytes() : 0,
                                    .written = checked ? written_bytes() : 0,
                                    .computed_ns = stop_clock()};
  suspend(function);
  write_code(code, kBreakpoint);
}

/* The function is called, and `stack` is where its return address is: null where it is to be
 * executed, else what to return in its place. */
static const Results* begin_function(uint32_t function, uint64_t stack) {
  uint64_t behind;
  memcpy(&behind, (const void*)(uintptr_t)stack, sizeof behind);
  Block* block = NULL;
  /* Else a child that the rank has forked, another of its threads, or a reduction within a call. */
  if (is_computing() && is_call((const uint8_t*)(uintptr_t)behind, begin_of(function))) {
    block = block_of(function, behind);
  }
  if (block == NULL) {
    leave_alone(function);
    return NULL;
  }
  stop_clock();
  const int skips = block->is_skipped && block->in_row < kPeriod;
  const uint64_t charged_ns = skips ? skip(block) : 0;
  if (!skips) begin_execution(function, block, stack, behind);
  start_clock(charged_ns);
  return skips ? &block->results : NULL;
}

/* What a jump at a function's begin leads to: the registers of its call, then begin_function(), and
 * back to the caller, or to the function. Each jump goes by a detour of its own near the program's
 * code, which says whose it is. */
typedef struct {
  unsigned char real[8][16];
  uint64_t integer;
  uint64_t others[8];
  uint64_t function; /* its number, and then where to go on */
  uint64_t behind;
} CalledWith;

/* Whether the function is skipped. */
static __attribute__((used)) uint64_t enter_detour(CalledWith* with) {
  const uint32_t function = (uint32_t)with->function;
  with->function = (uint64_t)(uintptr_t)begin_of(function);
  const Results* results = begin_function(function, (uint64_t)(uintptr_t)&with->behind);
  if (results == NULL) return 0;
  with->integer = results->integer;
  memcpy(with->real[0], results->real, sizeof results->real);
  return 1;
}

void slackline_detour(void);
__asm__(
    ".text\n.type slackline_detour, @function\nslackline_detour:\n"
    "  push %r11\n  push %r10\n  push %r9\n  push %r8\n"
    "  push %rcx\n  push %rdx\n  push %rsi\n  push %rdi\n  push %rax\n"
    "  sub $128, %rsp\n"
    "  movups %xmm0, (%rsp)\n  movups %xmm1, 16(%rsp)\n  movups %xmm2, 32(%rsp)\n"
    "  movups %xmm3, 48(%rsp)\n  movups %xmm4, 64(%rsp)\n  movups %xmm5, 80(%rsp)\n"
    "  movups %xmm6, 96(%rsp)\n  movups %xmm7, 112(%rsp)\n"
    "  mov %rsp, %rdi\n  push %rbp\n  mov %rsp, %rbp\n  and $-16, %rsp\n"
    "  call enter_detour\n"
    "  mov %rbp, %rsp\n  pop %rbp\n  mov %rax, %r11\n"
    "  movups (%rsp), %xmm0\n  movups 16(%rsp), %xmm1\n  movups 32(%rsp), %xmm2\n"
    "  movups 48(%rsp), %xmm3\n  movups 64(%rsp), %xmm4\n  movups 80(%rsp), %xmm5\n"
    "  movups 96(%rsp), %xmm6\n  movups 112(%rsp), %xmm7\n"
    "  add $128, %rsp\n"
    "  pop %rax\n  pop %rdi\n  pop %rsi\n  pop %rdx\n  pop %rcx\n"
    "  pop %r8\n  pop %r9\n  pop %r10\n"
    "  test %r11, %r11\n  lea 8(%rsp), %rsp\n  jz 1f\n  lea 8(%rsp), %rsp\n"
    "1: ret\n.size slackline_detour, . - slackline_detour\n");

typedef struct {
  uint8_t push; /* the function's number */
  uint32_t function;
  uint8_t jump[6]; /* to where `to` says */
  uint64_t to;
} __attribute__((packed)) Detour;
enum { kDetours = SLK_ONLINE_BLOCKS };
static Detour* detours; /* within reach of a jump from all of the program's code; null: none */
static uint32_t n_detours;

static void place_detours(void) {
  enum { kStep = 1 << 24, kSteps = 64 };
  for (uint64_t i = 1; i <= kSteps && detours == NULL; ++i) {
    if (text_begin < (i + 1) * kStep || text_end - text_begin > (uint64_t)kSteps * kStep) return;
    void* wanted = (void*)(uintptr_t)((text_begin / kStep - i) * kStep);
    void* at = mmap(wanted, kDetours * sizeof *detours, PROT_READ | PROT_WRITE | PROT_EXEC,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (at != MAP_FAILED) detours = at;
  }
}

/* In place of its breakpoint, which stays where no detour is left. */
static void redirect(uint32_t function) {
  Function* of = &functions[function];
  if (detours == NULL || (of->detour == 0 && n_detours == kDetours)) return;
  if (of->detour == 0) {
    of->detour = ++n_detours;
    detours[of->detour - 1] = (Detour){.push = 0x68,
                                       .function = function,
                                       .jump = {0xff, 0x25, 0, 0, 0, 0},
                                       .to = (uint64_t)(uintptr_t)slackline_detour};
  }
  const Detour* detour = &detours[of->detour - 1];
  uint8_t jump[kJumpBytes] = {0xe9};
  const int32_t distance = (int32_t)((const uint8_t*)detour - (begin_of(function) + kJumpBytes));
  memcpy(jump + 1, &distance, sizeof distance);
  write_begin(function, jump);
}

static void close_last(void) {
  const Execution* execution = &executions[--depth];
  write_code(execution->behind, execution->byte_behind);
}

static void end_execution(int place, mcontext_t* at) {
  at->gregs[REG_RIP] -= 1;
  while (depth > place + 1) close_last(); /* left by an exception or longjmp */
  const Execution execution = executions[place];
  close_last();
  Function* function = &functions[execution.function];
  /* A child that was forked inside of it; code that is also reached without this return. */
  if (!is_computing() || (uint64_t)at->gregs[REG_RSP] != execution.stack + sizeof execution.stack) {
    function->is_watched = 0;
    return;
  }
  note(&execution, stop_clock(), at);
  if (function->is_watched) watch(execution.function);
  if (function->is_watched && execution.block->is_skipped) redirect(execution.function);
  start_clock(0);
}

static void enter_breakpoint(uint32_t function, mcontext_t* at) {
  const uint64_t stack = (uint64_t)at->gregs[REG_RSP];
  const Results* results = begin_function(function, stack);
  if (results == NULL) return;
  memcpy(&at->gregs[REG_RIP], (const void*)(uintptr_t)stack, sizeof at->gregs[REG_RIP]);
  at->gregs[REG_RSP] += (greg_t)sizeof stack;
  at->gregs[REG_RAX] = (greg_t)results->integer;
  memcpy(at->fpregs->_xmm, results->real, sizeof results->real);
}

static void on_breakpoint(int signal, siginfo_t* info, void* context) {
  if (is_measuring) return;
  const int error = errno;
  mcontext_t* at = &((ucontext_t*)context)->uc_mcontext;
  uint8_t* code = (uint8_t*)(uintptr_t)(at->gregs[REG_RIP] - 1);
  int place = depth;
  while (--place >= 0 && executions[place].behind != code) {
  }
  const int64_t function = place >= 0 ? -1 : function_at(code);
  if (place >= 0) {
    end_execution(place, at);
  } else if (function >= 0) {
    at->gregs[REG_RIP] -= 1;
    /* Else by another thread, meanwhile. */
    if (functions[function].is_watched) enter_breakpoint((uint32_t)function, at);
  } else if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(signal, info, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(signal);
  } else {
    sigaction(SIGTRAP, &before, NULL);
    raise(SIGTRAP);
  }
  errno = error;
}

static void measure_breakpoint(void) {
  enum { kTimes = 100 };
  is_measuring = 1;
  const uint64_t begin = read_clock(CLOCK_THREAD_CPUTIME_ID);
  for (int i = 0; i < kTimes; ++i) __asm__ volatile("int3");
  breakpoint_ns = (read_clock(CLOCK_THREAD_CPUTIME_ID) - begin) / kTimes;
  is_measuring = 0;
}

/* The first file is the program's. */
static int find_text(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size, (void)data;
  base = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &info->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0) continue;
    text_begin = base + part->p_vaddr;
    text_end = text_begin + part->p_memsz;
  }
  return 1;
}

static int make_text_writable(void) {
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  dl_iterate_phdr(find_text, NULL);
  const uint64_t begin = text_begin / page * page;
  return mprotect((void*)(uintptr_t)begin, text_end - begin, PROT_READ | PROT_WRITE | PROT_EXEC);
}

static int is_this_program(const struct slk_online_file* file) {
  struct stat program;
  return stat("/proc/self/exe", &program) == 0 && program.st_dev == file->device &&
         program.st_ino == file->inode;
}

enum slk_online_watched watch_functions(const struct slk_online_file* file) {
  if (file->functions == 0) return SLK_WATCHED_none;
  if (!is_this_program(file)) return SLK_WATCHED_other_program;
  known = file->function;
  n_known = (uint32_t)file->functions;
  functions = calloc(n_known, sizeof *functions);
  if (functions == NULL || make_text_writable() != 0) return SLK_WATCHED_refused;
  place_detours();
  random_state = 0x9e3779b97f4a7c15u + (uint64_t)world_rank();
  struct sigaction action = {.sa_sigaction = on_breakpoint, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigaction(SIGTRAP, &action, &before);
  measure_breakpoint();
  for (uint32_t i = 0; i < n_known; ++i) {
    const uint64_t at = base + known[i].begin;
    if (at < text_begin || at >= text_end || *begin_of(i) == kBreakpoint) continue;
    memcpy(functions[i].first_bytes, begin_of(i), kJumpBytes);
    watch(i);
  }
  return SLK_WATCHED_all;
}

#else

enum slk_online_watched watch_functions(const struct slk_online_file* file) {
  return file->functions == 0 ? SLK_WATCHED_none : SLK_WATCHED_refused;
}

#endif
