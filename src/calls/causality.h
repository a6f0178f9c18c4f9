#pragma once

#include <cstdint>
#include <string>

#include "base/findings.h"
#include "calls/call_matching.h"
#include "trace/trace.h"

namespace slackline {

inline constexpr FindingKind kCausalityViolated{
    "causality_violated", Severity::notice,
    "Receives that end before their send began: clock skew of at least that much, which distorts "
    "measured times across ranks. Model predictions are not affected."};

inline constexpr FindingKind kReceivedBeforeSent{
    "received_before_sent_on_one_clock", Severity::notice,
    "Receives that end before the send they were matched with began, although both ranks have one "
    "clock: the messages were not matched as in the run, because calls are missing or several "
    "threads called at once."};

struct CausalityCheck {
  std::uint64_t messages = 0;    ///< pairs of a send and a receive that were compared
  std::uint64_t violations = 0;  ///< receives that end before their send began
  std::int64_t worst_ns = 0;     ///< by how much, at most
  std::string worst;             ///< which message, in words
};

/// Compares every received message with its send, and adds a Finding when any was received before
/// it was sent: kReceivedBeforeSent where the two ranks have one clock, else kCausalityViolated.
/// Untimed traces have nothing to compare. Linear in the number of messages, in threads.
CausalityCheck count_causality_violations(Trace& trace, const CallMatching& matching);

}  // namespace slackline
