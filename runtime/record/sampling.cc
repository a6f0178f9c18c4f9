// The signal by which threads are sampled, and its handler.

#include "recorder.h"

#include <signal.h>
#include <ucontext.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace slackline::record {

namespace {

/// Whether the signal has ended a system call that the system does not restart. Where another
/// signal is handled first or after it, this one comes within that signal's handler or finds the
/// call not yet begun again.
bool ended_system_call(const ucontext_t& context) {
#if defined(__x86_64__)
  // The instruction leaves the address of the next one in rcx.
  const auto& registers = context.uc_mcontext.gregs;
  return registers[REG_RAX] == -EINTR && registers[REG_RCX] == registers[REG_RIP];
#elif defined(__aarch64__)
  constexpr std::uint64_t kPageBytes = 4096;
  constexpr std::uint32_t kSystemCall = 0xd4000001;
  const std::uint64_t next = context.uc_mcontext.pc;
  if (static_cast<std::int64_t>(context.uc_mcontext.regs[0]) != -EINTR) return false;
  if (next % kPageBytes == 0) return false;  // what lies before may be unreadable
  std::uint32_t instruction = 0;
  std::memcpy(&instruction, reinterpret_cast<const void*>(next - sizeof instruction),
              sizeof instruction);
  return instruction == kSystemCall;
#else
  return false;
#endif
}

void on_signal(int, siginfo_t* info, void* context) {
  Thread* const t = this_thread;
  if (t == nullptr || (info->si_code != SI_TIMER && info->si_code <= 0)) return;
  const int saved_errno = errno;
  if (ended_system_call(*static_cast<const ucontext_t*>(context))) t->note_interruption();
  const bool repeated = info->si_code == SI_TIMER && info->si_overrun > 0;
  const auto overrun = static_cast<std::uint64_t>(repeated ? info->si_overrun : 0);
  t->sample(*static_cast<const ucontext_t*>(context), 1 + overrun);
  errno = saved_errno;
}

std::uint64_t asked_interval_ns() {
  constexpr long kMostHz = 10'000;
  const char* const asked = std::getenv("SLACKLINE_SAMPLE");
  const long hz = asked == nullptr ? 0 : std::strtol(asked, nullptr, 10);
  if (hz <= 0) return 0;
  return 1'000'000'000u / static_cast<std::uint64_t>(hz < kMostHz ? hz : kMostHz);
}

/// From the last ones: programs and libraries that use them begin at SIGRTMIN.
int free_signal() {
  for (int signal = SIGRTMAX - 1; signal > SIGRTMIN; --signal) {
    struct sigaction now;
    if (sigaction(signal, nullptr, &now) != 0) continue;
    if ((now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == SIG_DFL) return signal;
  }
  return 0;
}

}  // namespace

SamplingOptions prepare_sampling() {
  SamplingOptions options{asked_interval_ns(), 0};
  if (options.interval_ns == 0) return options;
  const int signal = free_signal();
  struct sigaction action;
  std::memset(&action, 0, sizeof action);
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  if (signal != 0 && sigaction(signal, &action, nullptr) == 0) options.signal = signal;
  return options;
}

}  // namespace slackline::record
