/* The code of entry points, for each machine: what cannot be said in C, because it has to leave all
 * arguments of a call where they are. In assembly as the GNU assembler takes it.
 *
 * SLK_ENTRY(name, number)  an entry point that jumps through slot `number`, and what the slot leads
 * to first: slk_bind_entry, with that number in a register that has no argument SLK_SLOT(number)
 * the slot, filled so SLK_BIND_ENTRY           keeps all argument registers, asks slk_bind for the
 * target, jumps SLK_DLSYM                asks slk_substitute(handle, name, the caller) and returns
 * what it gives, or jumps to the C library's dlsym, which sees the same caller */
#ifndef SLACKLINE_RUNTIME_RECORD_ENTRY_POINTS_H
#define SLACKLINE_RUNTIME_RECORD_ENTRY_POINTS_H

#define SLK_FUNCTION(name) ".type " name ",@function\n.p2align 4\n" name ":\n"
#define SLK_EXPORTED(name) ".text\n.globl " name "\n" SLK_FUNCTION(name)
#define SLK_SLOT(number) "  .quad .Lbind" number "\n"

#if defined(__x86_64__)

/* The version that the C library's dlsym has had from its beginning. */
#define SLK_DLSYM_VERSION "GLIBC_2.2.5"

#define SLK_LANDING "  endbr64\n"
#define SLK_JUMP_THROUGH(symbol) "  jmp *" symbol "(%rip)\n"

#define SLK_ENTRY(name, number)                                                                    \
  SLK_EXPORTED(name)                                                                               \
  SLK_LANDING SLK_JUMP_THROUGH("slk_slots+8*" number) ".Lbind" number ":\n" SLK_LANDING            \
                                                      "  movl $" number                            \
                                                      ", %r11d\n  jmp slk_bind_entry\n.size " name \
                                                      ",.-" name "\n"

#define SLK_BIND_ENTRY \
  ".text\n" SLK_FUNCTION("slk_bind_entry")                                                  \
  "  pushq %rbp\n  movq %rsp, %rbp\n  andq $-16, %rsp\n"                                    \
  "  pushq %rdi\n  pushq %rsi\n  pushq %rdx\n  pushq %rcx\n  pushq %r8\n  pushq %r9\n"      \
  "  pushq %rax\n  pushq %r10\n"                                                            \
  "  movl %r11d, %edi\n  call slk_bind\n  movq %rax, %r11\n"                                \
  "  popq %r10\n  popq %rax\n  popq %r9\n  popq %r8\n  popq %rcx\n  popq %rdx\n"            \
  "  popq %rsi\n  popq %rdi\n  movq %rbp, %rsp\n  popq %rbp\n  jmp *%r11\n"                 \
  ".size slk_bind_entry,.-slk_bind_entry\n"

#define SLK_DLSYM                                            \
  SLK_EXPORTED("dlsym")                                      \
  "  endbr64\n  pushq %rdi\n  pushq %rsi\n  subq $8, %rsp\n" \
  "  movq 24(%rsp), %rdx\n  call slk_substitute\n"           \
  "  addq $8, %rsp\n  popq %rsi\n  popq %rdi\n"              \
  "  testq %rax, %rax\n  jne 1f\n  jmp *slk_real_dlsym(%rip)\n1: ret\n.size dlsym,.-dlsym\n"

#elif defined(__aarch64__)

#define SLK_DLSYM_VERSION "GLIBC_2.17"

/* x16 and x17 are free between caller and callee; hint #34 (bti c) may be jumped to through them.
 */
#define SLK_LANDING "  hint #34\n"
#define SLK_JUMP_THROUGH(symbol) \
  "  adrp x16, " symbol "\n  ldr x16, [x16, :lo12:" symbol "]\n  br x16\n"

#define SLK_ENTRY(name, number)                                                               \
  SLK_EXPORTED(name)                                                                          \
  "  hint #34\n" SLK_JUMP_THROUGH("slk_slots+8*" number) ".Lbind" number                      \
                                                         ":\n  hint #34\n  mov w17, #" number \
                                                         "\n  b slk_bind_entry\n.size " name  \
                                                         ",.-" name "\n"

/* Arguments are in x0 to x7 and q0 to q7; x8 is where a large result goes. */
#define SLK_BIND_ENTRY \
  ".text\n" SLK_FUNCTION("slk_bind_entry")                                                \
  "  stp x29, x30, [sp, #-224]!\n  mov x29, sp\n"                                         \
  "  stp x0, x1, [sp, #16]\n  stp x2, x3, [sp, #32]\n  stp x4, x5, [sp, #48]\n"           \
  "  stp x6, x7, [sp, #64]\n  str x8, [sp, #80]\n"                                        \
  "  stp q0, q1, [sp, #96]\n  stp q2, q3, [sp, #128]\n  stp q4, q5, [sp, #160]\n"         \
  "  stp q6, q7, [sp, #192]\n"                                                            \
  "  mov w0, w17\n  bl slk_bind\n  mov x16, x0\n"                                         \
  "  ldp q6, q7, [sp, #192]\n  ldp q4, q5, [sp, #160]\n  ldp q2, q3, [sp, #128]\n"        \
  "  ldp q0, q1, [sp, #96]\n"                                                             \
  "  ldr x8, [sp, #80]\n  ldp x6, x7, [sp, #64]\n  ldp x4, x5, [sp, #48]\n"               \
  "  ldp x2, x3, [sp, #32]\n  ldp x0, x1, [sp, #16]\n"                                    \
  "  ldp x29, x30, [sp], #224\n  br x16\n.size slk_bind_entry,.-slk_bind_entry\n"

#define SLK_DLSYM                                                                     \
  SLK_EXPORTED("dlsym")                                                               \
  "  hint #34\n  stp x29, x30, [sp, #-32]!\n  mov x29, sp\n  stp x0, x1, [sp, #16]\n" \
  "  mov x2, x30\n  bl slk_substitute\n  cbnz x0, 1f\n"                               \
  "  ldp x0, x1, [sp, #16]\n  ldp x29, x30, [sp], #32\n" SLK_JUMP_THROUGH(            \
      "slk_real_dlsym") "1:\n  ldp x29, x30, [sp], #32\n  ret\n.size dlsym,.-dlsym\n"

#else
#error "entry points are written for x86-64 and aarch64"
#endif

#endif
