#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/findings.h"
#include "calls/call_actions.h"
#include "trace/trace.h"

namespace slackline {

/// Index of a call within its rank.
using CallIndex = std::uint32_t;
inline constexpr CallIndex kNoCall = std::numeric_limits<CallIndex>::max();

/// One message that was sent, and the four calls that deal with it.
struct MessageCalls {
  std::int32_t source = 0;
  std::int32_t destination = 0;
  CallIndex send = kNoCall;          ///< at the source: hands the message over
  CallIndex send_done = kNoCall;     ///< at the source: completes the send; `send` when blocking
  CallIndex receive = kNoCall;       ///< at the destination: posts the receive; kNoCall: unmatched
  CallIndex receive_done = kNoCall;  ///< at the destination: completes it
  std::uint64_t bytes : 61 = 0;
  std::uint64_t synchronous : 1 = 0;  ///< rendezvous whatever the size
  std::uint64_t buffered : 1 = 0;     ///< eager whatever the size

  bool matched() const { return receive != kNoCall; }
};

/// Was the receive posted during the call that completes the send (timed traces)? Then that call
/// waited for it, as far as the overlap tells.
bool sender_waited(const Trace& trace, const MessageCalls& message);

/// What one rank does in one collective.
struct CollectiveMember {
  std::int32_t rank;
  CallIndex enter;
  CallIndex done;  ///< `enter` when blocking; kNoCall when never completed
  /// Position in its group of the communicator.
  std::uint32_t place : 30;
  std::uint32_t remote : 1;  ///< belongs to the second group of an intercommunicator
  std::uint32_t moves : 1;   ///< sends or receives at least a byte
};

/// One collective call of all members of a communicator together, or of all ranks behind a window
/// or a file (collective_scope.h). MPI_Init and MPI_Finalize count as collectives of all ranks.
struct CollectiveInstance {
  Operation operation = Operation::none;  ///< in its blocking form
  std::int32_t root = kPeerNone;          ///< world rank
  std::uint32_t comm = kCommWorld;
  /// Not every member that the operation lets wait for another one needs anything of it: there are
  /// two groups, or some contributions are empty. Then each pair of members has to be looked at.
  bool selective = false;
  std::uint32_t first_member = 0;
  std::uint32_t member_count = 0;
};

/// Who belongs to whom: the messages and collectives of a trace on the level of calls, with nothing
/// expanded. Where ExecutionGraph says what *must* wait for what under a model, this says what a
/// measured run *did* wait for.
///
/// It depends on what ranks do and not on when, so that it holds for all times that a trace is
/// given: measured, corrected, predicted, simulated. Built once per trace and shared by all who
/// ask; about 24 bytes a call and 40 a message.
class CallMatching {
 public:
  /// `receipts`: only which calls send, post and complete the receive of each message, at half the
  /// cost. For a message that is not received only the send is known; MessageCalls::send_done stays
  /// kNoCall, and there are neither collectives nor completions nor findings.
  enum class Extent : std::uint8_t { all, receipts };

  /// Messages and collectives are numbered with this many bits each.
  static constexpr std::uint32_t kIdBits = 30;

  /// Matches by MPI's rule: messages between two ranks on one communicator and tag do not overtake;
  /// wildcards are resolved in the trace already. Never fails for a defect of the trace. Linear.
  explicit CallMatching(const Trace& trace, Extent extent = Extent::all);

  /// What a call completes.
  struct Completion {
    /// `probed`: the message is there, and a later call receives it.
    enum class Kind : std::uint8_t { incoming, outgoing, collective, probed } kind;
    std::uint32_t id;  ///< of the message, or of the collective
  };

  std::int32_t ranks() const { return static_cast<std::int32_t>(completions_.size()); }
  /// By sender, and each sender's in the order in which it sends.
  const std::vector<MessageCalls>& messages() const { return messages_; }
  /// Number of the first message that `rank` sends; for the number of ranks: of all.
  std::uint32_t first_message(std::int32_t rank) const {
    return first_message_[static_cast<std::size_t>(rank)];
  }
  const MessageCalls& message(std::uint32_t id) const { return messages_[id]; }
  const std::vector<CollectiveInstance>& collectives() const { return collectives_; }
  const CollectiveInstance& collective(std::uint32_t id) const { return collectives_[id]; }
  /// In the order of ranks.
  std::span<const CollectiveMember> members(const CollectiveInstance& c) const {
    return {members_.data() + c.first_member, c.member_count};
  }
  /// The member that `rank` is; null when it takes no part. Logarithmic.
  const CollectiveMember* member(const CollectiveInstance& c, std::int32_t rank) const;

  /// Calls visit(Completion) for everything that the call completes, receives in posting order.
  template <class Visit>
  void for_completions(std::int32_t rank, CallIndex call, Visit visit) const {
    const RankCompletions& mine = completions_[static_cast<std::size_t>(rank)];
    for (std::uint32_t e = mine.first[call]; e < mine.first[call + 1]; ++e) {
      visit(unpack(mine.entries[e]));
    }
  }
  /// Where the call completes requests of file accesses and nothing else: the call that started the
  /// first one. Else kNoCall. Logarithmic in the number of such calls.
  CallIndex completed_file_access(std::int32_t rank, CallIndex call) const;
  bool completes_something(std::int32_t rank, CallIndex call) const {
    const RankCompletions& mine = completions_[static_cast<std::size_t>(rank)];
    return mine.first[call] != mine.first[call + 1];
  }

  const Findings& findings() const { return findings_; }
  /// Messages that were received.
  std::uint64_t matched_count() const;

 private:
  friend class MatchingWalk;

  struct RankCompletions {
    std::vector<std::uint32_t> first;  // calls + 1
    std::vector<std::uint32_t> entries;
    std::vector<std::pair<CallIndex, CallIndex>> files;  // completed by the first of the two calls
  };
  static Completion unpack(std::uint32_t entry) {
    return {static_cast<Completion::Kind>(entry >> kIdBits), entry & ((1u << kIdBits) - 1)};
  }

  std::vector<MessageCalls> messages_;
  std::vector<std::uint32_t> first_message_;
  std::vector<CollectiveInstance> collectives_;
  std::vector<CollectiveMember> members_;
  std::vector<RankCompletions> completions_;
  Findings findings_;
};

/// The message as the call that sends it names it. O(messages that the call sends).
PostedMessage sent_message(const Trace& trace, const CallMatching& matching, std::uint32_t id);

}  // namespace slackline
