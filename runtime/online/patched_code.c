#include "patched_code.h"

#if defined(__x86_64__)

#include <errno.h>
#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { kBreakpoint = 0xcc };

static uint64_t base, text_begin, text_end; /* of the program's file */
static const CodeWatch* watch;
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
enum { kDetours = kEntryDetours + kReturnDetours };
static Detour* detours; /* within reach of a jump from all of the program's code; null: none */

static void fill_detours(void) {
  for (uint32_t i = 0; i < kDetours; ++i) {
    detours[i] = (Detour){.push = 0x68,
                          .number = i,
                          .jump = {0xff, 0x25, 0, 0, 0, 0},
                          .to = (uint64_t)(uintptr_t)slackline_detour};
  }
}

static void place_detours(void) {
  enum { kStep = 1 << 24, kSteps = 64 };
  const size_t bytes = (kDetours) * sizeof *detours;
  for (uint64_t i = 1; i <= kSteps && detours == NULL; ++i) {
    if (text_begin < (i + 1) * kStep || text_end - text_begin > (uint64_t)kSteps * kStep) return;
    void* wanted = (void*)(uintptr_t)((text_begin / kStep - i) * kStep);
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

typedef struct {
  unsigned char real[8][16];
  uint64_t integer;
  uint64_t others[8];
  uint64_t number; /* of the detour, and then where to go on */
  uint64_t stack;  /* as it was before the jump */
} DetourFrame;

/* Whether to return to the caller at once, for a function that is skipped. */
static __attribute__((used)) uint64_t enter_detour(DetourFrame* frame) {
  const uint64_t stack = (uint64_t)(uintptr_t)&frame->stack;
  if (frame->number >= kEntryDetours) {
    const uint32_t execution = (uint32_t)frame->number - kEntryDetours;
    Results results = {.integer = frame->integer};
    memcpy(results.real, frame->real[0], sizeof results.real);
    frame->number = (uint64_t)(uintptr_t)watch->behind(execution);
    watch->end(execution, stack, &results);
    return 0;
  }
  const uint32_t function = watch->function_of((uint32_t)frame->number);
  frame->number = (uint64_t)(uintptr_t)watch->begin_of(function);
  const Results* results = watch->begin(function, stack);
  if (results == NULL) return 0;
  frame->integer = results->integer;
  memcpy(frame->real[0], results->real, sizeof results->real);
  return 1;
}

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

static void begin_by_signal(uint32_t function, mcontext_t* at) {
  const uint64_t stack = (uint64_t)at->gregs[REG_RSP];
  const Results* results = watch->begin(function, stack);
  if (results == NULL) return;
  memcpy(&at->gregs[REG_RIP], (const void*)(uintptr_t)stack, sizeof at->gregs[REG_RIP]);
  at->gregs[REG_RSP] += (greg_t)sizeof stack;
  at->gregs[REG_RAX] = (greg_t)results->integer;
  memcpy(at->fpregs->_xmm, results->real, sizeof results->real);
}

static void end_by_signal(uint32_t execution, const mcontext_t* at) {
  Results results = {.integer = (uint64_t)at->gregs[REG_RAX]};
  memcpy(results.real, at->fpregs->_xmm, sizeof results.real);
  watch->end(execution, (uint64_t)at->gregs[REG_RSP], &results);
}

/* A breakpoint of the program, or of nobody. */
static void pass_on(int signal, siginfo_t* info, void* context) {
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(signal, info, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(signal);
  } else {
    sigaction(SIGTRAP, &before, NULL);
    raise(SIGTRAP);
  }
}

static void on_breakpoint(int signal, siginfo_t* info, void* context) {
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

int open_code(const CodeWatch* with) {
  if (!make_text_writable()) return 0;
  place_detours();
  watch = with;
  struct sigaction action = {.sa_sigaction = on_breakpoint, .sa_flags = SA_SIGINFO | SA_RESTART};
  return sigaction(SIGTRAP, &action, &before) == 0;
}

#endif
