#include "patched_code.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "online.h"
#include "record/blocking.h"

enum { kBreakpoint = 0xcc };

static uint64_t base, text_begin, text_end; /* of the program's file */
static const CodeWatch* watch;
static int is_measuring;
static uint64_t cost_ns; /* of a breakpoint */
uint64_t slackline_state_bytes;
static struct sigaction before;

uint8_t* code_at(uint64_t address) {
  return (uint8_t*)(uintptr_t)(base + address);
}
uint64_t address_of_code(const uint8_t* code) {
  return (uint64_t)(uintptr_t)code - base;
}
int is_code(const uint8_t* from, uint32_t bytes) {
  const uint64_t begin = (uint64_t)(uintptr_t)from;
  return begin >= text_begin && begin + bytes <= text_end;
}

static void write_byte(uint8_t* at, uint8_t byte) {
  *(volatile uint8_t*)at = byte;
}
int has_breakpoint(const uint8_t* code) {
  return *(const volatile uint8_t*)code == kBreakpoint;
}
void set_breakpoint(uint8_t* code) {
  write_byte(code, kBreakpoint);
}
void write_code(uint8_t* code, const uint8_t bytes[kJumpBytes]) {
  write_byte(code, kBreakpoint);
  for (int i = 1; i < kJumpBytes; ++i) write_byte(code + i, bytes[i]);
  write_byte(code, bytes[0]);
}

int is_call(const uint8_t* behind, const uint8_t* begin) {
  enum { kLongest = 7 };
  if (!is_code(behind - kLongest, kLongest + 1)) return 0;
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

/* What a jump in the program's code leads to: the registers of that place, then enter_detour(), and
 * back to where it says. Each jump goes by a detour of its own near the program's code, which says
 * whose it is. */
void slackline_detour(void);
typedef struct {
  uint8_t push; /* its number */
  uint32_t number;
  uint8_t jump[6]; /* to where `to` says */
  uint64_t to;
} __attribute__((packed)) Detour;
static Detour* detours; /* within reach of a jump from all of the program's code; null: none */

static void fill_detours(void) {
  for (uint32_t i = 0; i < kDetours; ++i) {
    detours[i] = (Detour){.push = 0x68,
                          .number = i,
                          .jump = {0xff, 0x25, 0, 0, 0, 0},
                          .to = (uint64_t)(uintptr_t)slackline_detour};
  }
}

/* Below the code, or as far above it as the heap of a program at a fixed address leaves. */
static void place_detours(void) {
  enum { kStep = 1 << 24, kSteps = 64 };
  const size_t bytes = kDetours * sizeof *detours;
  if (slackline_state_bytes == 0 || text_end - text_begin > (uint64_t)kSteps * kStep) return;
  for (uint64_t i = 1; i <= 2 * kSteps && detours == NULL; ++i) {
    const uint64_t above = (text_end / kStep + 2 * kSteps - i) * kStep;
    const uint64_t below = (text_begin / kStep - i) * kStep;
    void* wanted = (void*)(uintptr_t)(text_begin > (i + 1) * kStep ? below : above);
    void* at = mmap(wanted, bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (at != MAP_FAILED) detours = at;
  }
  if (detours != NULL) fill_detours();
}

int jump_to_detour(uint8_t* code, uint32_t number) {
  if (detours == NULL) return 0;
  uint8_t jump[kJumpBytes] = {0xe9};
  const int32_t distance = (int32_t)((const uint8_t*)&detours[number] - (code + kJumpBytes));
  memcpy(jump + 1, &distance, sizeof distance);
  write_code(code, jump);
  return 1;
}

/* As pushed. */
typedef struct {
  uint64_t rbp, rax, others[8];
  uint64_t where; /* the detour's number, and then where to go on */
  uint64_t stack; /* as it was before the jump */
} DetourFrame;

void slackline_return(void); /* to the caller of the function */

/* `state`: as XSAVE writes it. */
static __attribute__((used)) void enter_detour(DetourFrame* frame, unsigned char* state) {
  const uint32_t function = watch->function_of((uint32_t)frame->where);
  frame->where = (uint64_t)(uintptr_t)watch->begin_of(function);
  const Results* results = watch->begin(function, (uint64_t)(uintptr_t)&frame->stack);
  if (results == NULL) return;
  frame->where = (uint64_t)(uintptr_t)slackline_return;
  if (results->kind == RESULT_INTEGER) frame->rax = results->integer;
  if (results->kind != RESULT_REAL) return;
  enum { kXmm0 = 160, kPresent = 512, kSse = 2 };
  memcpy(state + kXmm0, results->real, sizeof results->real);
  state[kPresent] |= kSse;
}

/* All registers are kept: a compiler that has seen both functions may have values in those that the
 * called one does not use. */
__asm__(
    ".text\n.type slackline_detour, @function\nslackline_detour:\n"
    "  push %r11\n  push %r10\n  push %r9\n  push %r8\n"
    "  push %rcx\n  push %rdx\n  push %rsi\n  push %rdi\n  push %rax\n  push %rbp\n"
    "  mov %rsp, %rbp\n  mov %rsp, %rdi\n"
    "  sub slackline_state_bytes(%rip), %rsp\n  and $-64, %rsp\n  mov %rsp, %rsi\n"
    "  xor %eax, %eax\n  mov %rax, 512(%rsp)\n  mov %rax, 520(%rsp)\n  mov %rax, 528(%rsp)\n"
    "  mov %rax, 536(%rsp)\n  mov %rax, 544(%rsp)\n  mov %rax, 552(%rsp)\n"
    "  mov %rax, 560(%rsp)\n  mov %rax, 568(%rsp)\n"
    "  mov $-1, %eax\n  mov $-1, %edx\n  xsave64 (%rsp)\n"
    "  call enter_detour\n"
    "  mov $-1, %eax\n  mov $-1, %edx\n  xrstor64 (%rsp)\n"
    "  mov %rbp, %rsp\n  pop %rbp\n  pop %rax\n  pop %rdi\n  pop %rsi\n  pop %rdx\n  pop %rcx\n"
    "  pop %r8\n  pop %r9\n  pop %r10\n  pop %r11\n"
    "slackline_return:\n  ret\n.size slackline_detour, . - slackline_detour\n");

/* 0: this processor or system has no XSAVE. */
static void find_state_bytes(void) {
  enum { kFeatures = 1, kStates = 13, kAligned = 64 };
  unsigned a, b, c, d;
  if (__get_cpuid(kFeatures, &a, &b, &c, &d) == 0 || (c & bit_OSXSAVE) == 0) return;
  if (__get_cpuid_count(kStates, 0, &a, &b, &c, &d) != 0) slackline_state_bytes = b + kAligned;
}

static void begin_by_signal(uint32_t function, mcontext_t* at) {
  const uint64_t stack = (uint64_t)at->gregs[REG_RSP];
  const Results* results = watch->begin(function, stack);
  if (results == NULL) return;
  memcpy(&at->gregs[REG_RIP], (const void*)(uintptr_t)stack, sizeof at->gregs[REG_RIP]);
  at->gregs[REG_RSP] += (greg_t)sizeof stack;
  if (results->kind == RESULT_INTEGER) at->gregs[REG_RAX] = (greg_t)results->integer;
  if (results->kind == RESULT_REAL) memcpy(at->fpregs->_xmm, results->real, sizeof results->real);
}

static void end_by_signal(uint32_t execution, const mcontext_t* at) {
  Results results = {.integer = (uint64_t)at->gregs[REG_RAX]};
  memcpy(results.real, at->fpregs->_xmm, sizeof results.real);
  watch->end(execution, (uint64_t)at->gregs[REG_RSP], &results);
}

/* A breakpoint that is none of this file. */
static void pass_on(int signal, siginfo_t* info, void* context) {
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(signal, info, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(signal);
  } else {
    watch = NULL;
    sigaction(SIGTRAP, &before, NULL);
    raise(SIGTRAP);
  }
}

static void on_breakpoint(int signal, siginfo_t* info, void* context) {
  if (is_measuring) return;
  const int error = errno;
  mcontext_t* at = &((ucontext_t*)context)->uc_mcontext;
  uint8_t* code = (uint8_t*)(uintptr_t)(at->gregs[REG_RIP] - 1);
  const int64_t execution = watch->execution_at(code);
  const int64_t function = execution >= 0 ? -1 : watch->function_at(code);
  /* Else it is gone: another thread has changed the code. */
  const int is_other = execution < 0 && function < 0 && has_breakpoint(code);
  if (!is_other) at->gregs[REG_RIP] -= 1;
  if (execution >= 0) end_by_signal((uint32_t)execution, at);
  if (function >= 0) begin_by_signal((uint32_t)function, at);
  if (is_other) pass_on(signal, info, context);
  errno = error;
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
  const int access = PROT_READ | PROT_WRITE | PROT_EXEC;
  return mprotect((void*)(uintptr_t)begin, text_end - begin, access) == 0;
}

/* The median, each time after memory that takes the place of code and data in the caches, as
 * what a program computes does. */
static void measure_breakpoint(void) {
  enum { kTimes = 15, kBytes = 1 << 20 };
  uint64_t ns[kTimes];
  char* memory = malloc(kBytes);
  if (memory == NULL) return;
  is_measuring = 1;
  for (int i = 0; i < kTimes; ++i) {
    memset(memory, i, kBytes);
    const uint64_t begin = read_clock(CLOCK_THREAD_CPUTIME_ID);
    __asm__ volatile("int3" : : "r"(memory) : "memory");
    const uint64_t taken = read_clock(CLOCK_THREAD_CPUTIME_ID) - begin;
    int at = i;
    for (; at > 0 && ns[at - 1] > taken; --at) ns[at] = ns[at - 1];
    ns[at] = taken;
  }
  is_measuring = 0;
  cost_ns = ns[kTimes / 2];
  free(memory);
}

uint64_t breakpoint_ns(void) {
  return cost_ns;
}

int open_code(const CodeWatch* with) {
  if (!make_text_writable()) return 0;
  find_state_bytes();
  place_detours();
  /* Also where the handler's own calls come to a function of the program: its malloc(), say. */
  struct sigaction action = {.sa_sigaction = on_breakpoint,
                             .sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER};
  sigset_t trap;
  sigemptyset(&trap);
  sigaddset(&trap, SIGTRAP);
  pthread_sigmask(SIG_UNBLOCK, &trap, NULL);
  if (sigaction(SIGTRAP, &action, &before) != 0) return 0;
  watch = with;
  measure_breakpoint();
  return 1;
}

/* The program may neither block the signal of breakpoints nor take it; its own handler gets those
 * that are none of this file. */

static void* real_function(void** known, const char* name) {
  if (*known == NULL) *known = slk_find_next(name);
  return *known;
}

typedef int SetMask(int, const sigset_t*, sigset_t*);

static int set_mask(SetMask* real, int how, const sigset_t* set, sigset_t* old) {
  sigset_t allowed;
  if (watch == NULL || set == NULL || how == SIG_UNBLOCK) return real(how, set, old);
  allowed = *set;
  sigdelset(&allowed, SIGTRAP);
  return real(how, &allowed, old);
}

EXPORT int sigprocmask(int how, const sigset_t* set, sigset_t* old) {
  static void* real;
  return set_mask((SetMask*)(uintptr_t)real_function(&real, "sigprocmask"), how, set, old);
}

EXPORT int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) {
  static void* real;
  return set_mask((SetMask*)(uintptr_t)real_function(&real, "pthread_sigmask"), how, set, old);
}

EXPORT int sigaction(int number, const struct sigaction* action, struct sigaction* old) {
  typedef int Set(int, const struct sigaction*, struct sigaction*);
  static void* known;
  Set* real = (Set*)(uintptr_t)real_function(&known, "sigaction");
  if (watch == NULL || (action == NULL && number != SIGTRAP)) return real(number, action, old);
  if (number == SIGTRAP) {
    if (old != NULL) *old = before;
    if (action != NULL) before = *action;
    return 0;
  }
  struct sigaction allowed = *action;
  sigdelset(&allowed.sa_mask, SIGTRAP);
  return real(number, &allowed, old);
}

EXPORT __sighandler_t signal(int number, __sighandler_t handler) {
  typedef __sighandler_t Set(int, __sighandler_t);
  static void* known;
  Set* real = (Set*)(uintptr_t)real_function(&known, "signal");
  if (watch == NULL || number != SIGTRAP) return real(number, handler);
  struct sigaction action = {.sa_handler = handler}, old;
  sigaction(SIGTRAP, &action, &old);
  return old.sa_handler;
}

#endif
