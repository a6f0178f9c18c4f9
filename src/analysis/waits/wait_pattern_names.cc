#include <array>

#include "analysis/waits/wait_states.h"

namespace slackline {

std::string_view identifier(WaitPattern pattern) {
  constexpr std::array<std::string_view, kWaitPatterns> kNames{
      "late_sender",      "late_receiver",          "wait_at_barrier",       "barrier_completion",
      "wait_at_nxn",      "nxn_completion",         "early_reduce",          "late_broadcast",
      "early_scan",       "nonblocking_collective", "init_completion",       "wait_at_finalize",
      "wait_at_creation", "wait_at_fence",          "wait_at_collective_io", "late_post",
      "late_complete",    "lock_contention",        "wait_at_neighborhood"};
  return kNames[static_cast<std::size_t>(pattern)];
}

std::string_view name(WaitPattern pattern) {
  constexpr std::array<std::string_view, kWaitPatterns> kNames{"late sender",
                                                               "late receiver",
                                                               "wait at barrier",
                                                               "barrier completion",
                                                               "wait at NxN",
                                                               "NxN completion",
                                                               "early reduce",
                                                               "late broadcast",
                                                               "early scan",
                                                               "nonblocking collective",
                                                               "init completion",
                                                               "wait at finalize",
                                                               "wait at creation",
                                                               "wait at fence",
                                                               "wait at collective I/O",
                                                               "late post",
                                                               "late complete",
                                                               "lock contention",
                                                               "wait at neighborhood collective"};
  return kNames[static_cast<std::size_t>(pattern)];
}

}  // namespace slackline
