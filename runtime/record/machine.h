#ifndef SLACKLINE_RUNTIME_RECORD_MACHINE_H
#define SLACKLINE_RUNTIME_RECORD_MACHINE_H

#include <cstdint>

#include <ucontext.h>

namespace slackline::record {

// What walks over the stack know of the machine: registers by the numbers that its psABI gives them
// in unwind tables (DWARF), as far as frames may depend on them.

/// The registers of a function that is being executed, at one of its instructions.
struct OwnRegisters {
  std::uint64_t instruction = 0;
  std::uint64_t stack_pointer = 0;
  std::uint64_t frame_pointer = 0;
};

#if defined(__x86_64__)

inline constexpr unsigned kFramePointer = 6;    // rbp
inline constexpr unsigned kStackPointer = 7;    // rsp
inline constexpr unsigned kReturnAddress = 16;  // no register: where the return address stands
inline constexpr unsigned kRegisters = 17;
/// Whether the number of the return address is also that of a register, which calls set.
inline constexpr bool kLinkRegister = false;

/// Registers where a signal has interrupted the thread, and that instruction.
inline std::uint64_t interrupted_registers(const ucontext_t& context, std::uint64_t* registers) {
  // In the order in which the kernel keeps them.
  static constexpr int kKept[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                  REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                  REG_R12, REG_R13, REG_R14, REG_R15};
  for (const int kept : kKept) {
    *registers++ = static_cast<std::uint64_t>(context.uc_mcontext.gregs[kept]);
  }
  return static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RIP]);
}

inline std::uint64_t plain_address(std::uint64_t return_address) {
  return return_address;
}

/// A wrapper's frame tells all that a walk needs: two words above the frame pointer its caller's
/// begins.
inline OwnRegisters own_registers() {
  return {};
}

#elif defined(__aarch64__)

inline constexpr unsigned kFramePointer = 29;
inline constexpr unsigned kStackPointer = 31;
inline constexpr unsigned kReturnAddress = 30;
inline constexpr unsigned kRegisters = 32;
inline constexpr bool kLinkRegister = true;

inline std::uint64_t interrupted_registers(const ucontext_t& context, std::uint64_t* registers) {
  for (unsigned i = 0; i < kStackPointer; ++i) registers[i] = context.uc_mcontext.regs[i];
  registers[kStackPointer] = context.uc_mcontext.sp;
  return context.uc_mcontext.pc;
}

/// The registers of the function that calls this.
__attribute__((always_inline)) inline OwnRegisters own_registers() {
  OwnRegisters own;
  __asm__ volatile("adr %0, .\n\tmov %1, sp\n\tmov %2, x29"
                   : "=r"(own.instruction), "=r"(own.stack_pointer), "=r"(own.frame_pointer));
  return own;
}

/// Without the signature that pointer authentication (FEAT_PAuth) leaves in its upper bits.
inline std::uint64_t plain_address(std::uint64_t return_address) {
  register std::uint64_t address __asm__("x30") = return_address;
  __asm__("hint #7" : "+r"(address));  // xpaclri, nothing on processors that do not sign
  return address;
}

#else
#error "walks over the stack are written for x86-64 and aarch64"
#endif

}  // namespace slackline::record

#endif
