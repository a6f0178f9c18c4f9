/* Functions of the program that are sampled without a mark (doc/online-simulation.md).
 *
 * A breakpoint where each begins, and one behind its call while it is executed, say how long it
 * takes. Functions that are short, call MPI or change what the rest of the program needs lose
 * theirs the first times that they are executed. The others are skipped, by call site, once the
 * last executions have taken about the same time. Jumps take the place of breakpoints then. */
#include "functions.h"

#if defined(__x86_64__)

#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "online.h"
#include "patched_code.h"

enum {
  kTimed = 8,   /* executions that the distribution is of, the latest ones */
  kTries = 40,  /* executions after which a function is watched no more if it still varies */
  kPeriod = 32, /* after so many that were skipped, two others show changes */
  kDeepest = 64,
  kShortest_ns = 100000
};
static const double kVariation = 0.05; /* standard deviation over mean */

/* A function at one of the places that it is called from. */
typedef struct Block {
  struct Block* next; /* of the same function */
  uint64_t site;
  struct slk_online_sampled* entry; /* null until an execution was long enough */
  double timed_ns[kTimed];
  uint32_t executed;
  uint32_t in_row; /* that were skipped */
  int is_skipped;
  int is_excluded; /* always executed, where its function is still watched for others */
  uint32_t cold; /* executions to come whose memory may be touched for the first time, or lately */
  Results results; /* of the last execution */
  int integer_differs, real_differs;
} Block;

typedef struct {
  Block* blocks;
  double gain_ns; /* charged for what was skipped, without what watching has cost */
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
static int is_inside; /* this file's functions, which may call one of the program: its malloc() */
static uint64_t random_state;
static uint32_t of_detour[kDetours]; /* the function */
static uint32_t n_detours;

static uint8_t* begin_of(uint32_t function) {
  return code_at(known[function].begin);
}

static void watch(uint32_t function) {
  functions[function].is_watched = 1;
  set_breakpoint(begin_of(function));
}

static void suspend(uint32_t function) {
  write_code(begin_of(function), functions[function].first_bytes);
}

static void stop_watching(uint32_t function) {
  suspend(function);
  functions[function].is_watched = 0;
}

static int64_t function_at(const uint8_t* at) {
  const uint64_t begin = address_of_code(at);
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

static ResultKind kind_of(const struct slk_online_function* function) {
  switch (function->result) {
    case SLK_RESULT_integer:
    case SLK_RESULT_address:
      return RESULT_INTEGER;
    case SLK_RESULT_real:
      return RESULT_REAL;
    default:
      return RESULT_NONE;
  }
}

/* Null: there is no memory for it. */
static Block* block_of(uint32_t function, const uint8_t* behind) {
  const uint64_t site = address_of_code(behind);
  for (Block* block = functions[function].blocks; block != NULL; block = block->next) {
    if (block->site == site) return block;
  }
  Block* block = calloc(1, sizeof *block);
  if (block == NULL) return NULL;
  block->site = site;
  block->cold = 2;
  block->results.kind = kind_of(&known[function]);
  block->next = functions[function].blocks;
  functions[function].blocks = block;
  return block;
}

/* False: no place is left. */
static int take_entry(uint32_t function, Block* block) {
  char name[64];
  snprintf(name, sizeof name, "function %u at 0x%llx", function, (unsigned long long)block->site);
  block->entry = sampled_block(0, name);
  if (block->entry == NULL) {
    count_unsampled();
    return 0;
  }
  block->entry->function = function + 1;
  block->entry->site = block->site;
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
  if (function->is_named || function->result == SLK_RESULT_none) return 1;
  if (function->result == SLK_RESULT_integer) return !block->integer_differs;
  return function->result == SLK_RESULT_real && !block->real_differs;
}

/* The function is watched no more, unless it may be skipped at other places. */
static void exclude(uint32_t function, Block* block, enum slk_online_unsampled why) {
  Function* of = &functions[function];
  if (block->entry != NULL) block->entry->unsampled = why;
  block->is_excluded = 1;
  block->is_skipped = 0;
  int others = 0;
  for (const Block* other = of->blocks; other != NULL; other = other->next) {
    others += other->entry != NULL && !other->is_excluded;
  }
  if (others == 0) of->is_watched = 0;
}

/* An execution at a place where none is skipped. */
static void count_loss(uint32_t function) {
  enum { kLoss_ns = 20000, kMost_ns = 2000000 };
  Function* of = &functions[function];
  of->gain_ns -= kLoss_ns;
  if (of->gain_ns < -kMost_ns) of->is_watched = 0;
}

/* Whether it is worth more than its breakpoints: an execution was long, of the first ones. */
static int is_long(uint32_t function, Block* block, double ns) {
  enum { kFirst = 3 };
  if (block->entry != NULL) return 1;
  const int is_long = ns >= kShortest_ns || known[function].is_named;
  if (is_long && take_entry(function, block)) return 1;
  if (is_long || block->executed >= kFirst) exclude(function, block, SLK_UNSAMPLED_not);
  return 0;
}

static void update(uint32_t function, Block* block, double ns) {
  if (block->cold > 0) {
    --block->cold;
    ++block->entry->untimed;
    block->entry->untimed_ns += ns;
    return;
  }
  block->timed_ns[block->entry->runs % kTimed] = ns;
  add_run(block->entry, ns);
  if (block->entry->runs < kTimed) return;
  const double most = block->is_skipped ? 2 * kVariation : kVariation;
  const int varies = !known[function].is_named && variation(block) > most;
  const int repeatable = is_repeatable(&known[function], block);
  if (!repeatable) block->entry->unsampled = SLK_UNSAMPLED_result;
  block->is_skipped = !varies && repeatable;
  block->cold = block->is_skipped ? 1 : 0;
  block->in_row = 0;
  if (block->is_skipped || block->executed < kTries) return;
  exclude(function, block, varies ? SLK_UNSAMPLED_varies : SLK_UNSAMPLED_result);
}

static void note_results(Block* block, const Results* now) {
  if (block->executed > 1) {
    block->integer_differs |= now->integer != block->results.integer;
    block->real_differs |= memcmp(now->real, block->results.real, sizeof now->real) != 0;
  }
  const ResultKind kind = block->results.kind;
  block->results = *now;
  block->results.kind = kind;
}

static void note(const Execution* execution, uint64_t computed_ns, const Results* results) {
  Block* block = execution->block;
  const uint32_t function = execution->function;
  if (block->is_excluded) {
    count_loss(function);
    return;
  }
  const uint64_t all_ns = computed_ns - execution->computed_ns;
  const double ns = all_ns > breakpoint_ns() ? (double)(all_ns - breakpoint_ns()) : 0;
  ++block->executed;
  note_results(block, results);
  if (calls_made() != execution->calls) {
    if (known[function].is_named && block->entry == NULL) take_entry(function, block);
    exclude(function, block, SLK_UNSAMPLED_calls);
  } else if (!is_long(function, block, ns)) {
    return;
  } else if (execution->is_checked && allocated_bytes() != execution->allocated) {
    exclude(function, block, SLK_UNSAMPLED_allocates);
  } else if (execution->is_checked && written_bytes() != execution->written) {
    exclude(function, block, SLK_UNSAMPLED_writes);
  } else {
    update(function, block, ns);
  }
}

static uint64_t next_random(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

/* ns to be charged. */
static uint64_t skip(uint32_t function, Block* block) {
  const double ns = block->timed_ns[next_random() % kTimed];
  ++block->in_row;
  ++block->entry->skipped;
  block->entry->charged_ns += ns;
  functions[function].gain_ns += ns;
  return (uint64_t)ns;
}

/* In place of its breakpoint, which stays where no detour is left. */
static void redirect(uint32_t function) {
  Function* of = &functions[function];
  if (of->detour == 0 && n_detours == kDetours) return;
  if (of->detour == 0) {
    of_detour[n_detours] = function;
    of->detour = ++n_detours;
  }
  jump_to_detour(begin_of(function), of->detour - 1);
}

static void begin_execution(uint32_t function, Block* block, uint64_t stack, uint8_t* code,
                            uint64_t computed_ns) {
  if (depth == kDeepest || has_breakpoint(code)) { /* of a call around this one */
    stop_watching(function);
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
                                    .computed_ns = computed_ns};
  suspend(function);
  /* One byte, as nothing says how many there are before another function or a jump's target. */
  set_breakpoint(code);
}

static const Results* begin_function(uint32_t function, uint64_t stack) {
  uint8_t* behind;
  memcpy(&behind, (const void*)(uintptr_t)stack, sizeof behind);
  if (!functions[function].is_watched) return NULL; /* by another thread, meanwhile */
  /* A call from here, a child that the rank has forked, another thread, a reduction in a call. */
  if (is_inside || !is_computing() || !is_call(behind, begin_of(function))) {
    stop_watching(function);
    return NULL;
  }
  is_inside = 1;
  Block* block = block_of(function, behind);
  if (block == NULL) {
    stop_watching(function);
    is_inside = 0;
    return NULL;
  }
  const uint64_t computed_ns = stop_clock();
  const int skips = block->is_skipped && block->in_row < kPeriod;
  const uint64_t charged_ns = skips ? skip(function, block) : 0;
  if (!skips) begin_execution(function, block, stack, behind, computed_ns);
  start_clock(charged_ns);
  is_inside = 0;
  return skips ? &block->results : NULL;
}

static void close_last(void) {
  const Execution* execution = &executions[--depth];
  *(volatile uint8_t*)execution->behind = execution->byte_behind;
}

static void end_execution(uint32_t place, uint64_t stack, const Results* results) {
  while (depth > (int)place + 1) close_last(); /* left by an exception or longjmp */
  const Execution execution = executions[place];
  close_last();
  Function* function = &functions[execution.function];
  /* A child that was forked inside of it; code that is also reached without this return. */
  if (!is_computing() || stack != execution.stack + sizeof execution.stack) {
    function->is_watched = 0;
    return;
  }
  is_inside = 1;
  note(&execution, stop_clock(), results);
  is_inside = 0;
  if (function->is_watched) watch(execution.function);
  if (function->is_watched && execution.block->is_skipped) redirect(execution.function);
  start_clock(0);
}

static int64_t execution_at(const uint8_t* code) {
  int place = depth;
  while (--place >= 0 && executions[place].behind != code) {
  }
  return place;
}

static uint32_t function_of(uint32_t detour) {
  return of_detour[detour];
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
  static const CodeWatch watch_code = {.function_at = function_at,
                                       .execution_at = execution_at,
                                       .function_of = function_of,
                                       .begin_of = begin_of,
                                       .begin = begin_function,
                                       .end = end_execution};
  if (functions == NULL || !open_code(&watch_code)) return SLK_WATCHED_refused;
  random_state = 0x9e3779b97f4a7c15u + (uint64_t)world_rank();
  for (uint32_t i = 0; i < n_known; ++i) {
    if (!is_code(begin_of(i), kJumpBytes) || has_breakpoint(begin_of(i))) continue;
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
