#pragma once

#include <cstdint>
#include <string>

#include "base/findings.h"
#include "calls/call_matching.h"
#include "trace/trace_builder.h"

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

inline constexpr FindingKind kLeftBeforeEntered{
    "left_before_entered", Severity::notice,
    "Collectives that a rank left before all that it needs had entered: clock skew of at least "
    "that "
    "much, which distorts measured times across ranks. Model predictions are not affected."};

inline constexpr FindingKind kLeftBeforeEnteredOnOneClock{
    "left_before_entered_on_one_clock", Severity::notice,
    "Collectives that a rank left before all that it needs had entered, although both ranks have "
    "one clock: the calls that were put together are not one collective of the run, because calls "
    "are missing or several threads called at once."};

struct CausalityCheck {
  std::uint64_t messages = 0;      ///< pairs of a send and a receive that were compared
  std::uint64_t violations = 0;    ///< receives that end before their send began
  std::int64_t worst_ns = 0;       ///< by how much, at most
  std::string worst;               ///< which message, in words
  std::uint64_t on_one_clock = 0;  ///< of the violations those of ranks that have one clock

  std::uint64_t collectives = 0;  ///< left by a member before all that it needs had entered
  std::int64_t worst_collective_ns = 0;
  std::string worst_collective;
  std::uint64_t collectives_on_one_clock = 0;

  /// Messages and collectives between clocks that run back in time by more than what the clocks'
  /// resolution and their stated synchronisation error explain.
  std::uint64_t beyond_error = 0;
};

/// The message or collective that runs back in time most, in words; empty when none does.
const std::string& worst_violation(const CausalityCheck& check);

/// Compares every received message with its send, and where `matching` has collectives, the times
/// at which their members enter and leave them. Untimed traces have nothing to compare. Linear in
/// messages and members of collectives, in threads.
CausalityCheck check_causality(const Trace& trace, const CallMatching& matching);

/// Adds a Finding for each kind of violation: of one clock, or of several.
void report_causality(const CausalityCheck& check, TraceBuilder& trace);

/// Both.
CausalityCheck count_causality_violations(TraceBuilder& trace, const CallMatching& matching);

}  // namespace slackline
