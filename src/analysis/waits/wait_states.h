#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "calls/call_matching.h"
#include "calls/causal_order.h"
#include "calls/run_span.h"
#include "trace/samples.h"
#include "trace/trace.h"
#include "trace/trace_extras.h"

namespace slackline {

/// Why a rank waited, as Scalasca names it as far as it searches for it.
enum class WaitPattern : std::uint8_t {
  late_sender,         ///< a receive, or the wait for it, begins before the send
  late_receiver,       ///< a send, or the wait for it, begins before the receive is posted
  barrier,             ///< until the last rank enters the barrier
  barrier_completion,  ///< leaving after the first could
  nxn,                 ///< until the last rank enters an operation of all with all
  nxn_completion,
  early_reduce,     ///< the root, until the last sender enters a reduction or gathering
  late_broadcast,   ///< until the root enters a broadcast or scattering
  early_scan,       ///< until all ranks before enter a scan
  nonblocking,      ///< a wait, until the last needed rank has started a nonblocking collective
  init_completion,  ///< leaving MPI_Init after the first could
  finalize,         ///< until the last rank enters MPI_Finalize
  creation,         ///< until the last rank makes, or frees, a communicator, window or file
  fence,            ///< until the last rank enters MPI_Win_fence
  collective_io,    ///< until the last rank enters a collective operation on a file
  late_post,        ///< an access epoch, until the target posts its window
  late_complete,    ///< MPI_Win_wait, until the last origin completes its epoch
  lock,             ///< while another origin holds a conflicting lock
  neighbourhood,    ///< until the last neighbour that data comes from enters the collective
};
inline constexpr std::size_t kWaitPatterns = 19;

/// Waiting at the end of a call, until its partners have left too, rather than at its begin.
constexpr bool is_at_end(WaitPattern pattern) {
  return pattern == WaitPattern::barrier_completion || pattern == WaitPattern::nxn_completion ||
         pattern == WaitPattern::init_completion;
}
/// "late_sender"
std::string_view identifier(WaitPattern pattern);
/// "late sender"
std::string_view name(WaitPattern pattern);

/// Was a late sender's message taken before one that had been sent earlier?
enum class MessageOrder : std::uint8_t { right, wrong_same_source, wrong_different_source };

/// One instance of waiting: the first `wait_ns` of a call (the last ones, of a completion).
struct WaitState {
  std::int64_t wait_ns = 0;
  /// The part of `wait_ns` that the program spent between polls that are one call of the trace.
  std::int64_t between_polls_ns = 0;
  std::int32_t rank = 0;
  CallIndex call = 0;
  std::int32_t cause_rank = -1;  ///< whose lateness it is; -1: nobody's in particular
  CallIndex cause_call =
      kNoCall;  ///< none, too, of a rank that had not come when the recording ended
  WaitPattern pattern = WaitPattern::late_sender;
  MessageOrder order = MessageOrder::right;
  /// The longest one with a cause among the states of its call: what the rank really waited for.
  /// Never in calls of other threads than the main one, as the rank goes on meanwhile.
  bool effective = false;
  /// The call did not get what it asked for, and a later one asked again.
  bool asked_again = false;

  /// One of many swaps for the same lock (calls/spin_waits.h).
  bool is_spin() const { return asked_again && pattern == WaitPattern::lock; }
};

struct WaitOptions {
  /// Messages of at most this many bytes do not wait for their receiver. Without it, whether a send
  /// waited follows from the overlap of the two calls; MPI_Sendrecv's is then not evaluated.
  std::optional<std::uint64_t> eager_bytes{};
  /// Orders sends by their records; without them, by the begins of their calls.
  const SendRecords* sends = nullptr;
  /// Where ranks compute, for who names causes in the code.
  const Samples* samples = nullptr;
};

struct WaitStates {
  /// In an order in which causes come before their effects; per rank in program order, but for
  /// polls that failed, which stand where the call that succeeded does.
  std::vector<WaitState> states;
  std::uint64_t clipped = 0;    ///< messages received before they were sent: clocks disagree
  std::int64_t clipped_ns = 0;  ///< by that much in sum
  std::uint64_t released = 0;   ///< calls let go on to break a deadlock in the replay
};

/// Exact by the definitions of Scalasca 2.6 with every waiting time clipped to its call. O(calls +
/// members of collectives).
WaitStates wait_states(const Trace& trace, const CallMatching& matching,
                       const WaitOptions& options = {});
/// The same in an order that is known already.
WaitStates wait_states(const Trace& trace, const CallMatching& matching, const CausalOrder& order,
                       const WaitOptions& options);

/// What `waits` have in an interval of the run, in the trace's own time, and nothing of what ranks
/// wait in MPI_Init and MPI_Finalize: there they are outside of the program. O(waits).
WaitStates waits_in_interval(const Trace& trace, const WaitStates& waits,
                             const TimeInterval& interval);

/// Whether the wait states say all that a call waited for others. Not so of operations without a
/// pattern (one-sided epochs, processes of other jobs), and of calls whose partners are not in the
/// trace: their time may be waiting. O(what the call completes).
bool waiting_is_known(const Trace& trace, const CallMatching& matching, std::int32_t rank,
                      CallIndex call);

}  // namespace slackline
