#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "calls/call_matching.h"
#include "calls/call_paths.h"
#include "trace/samples.h"
#include "trace/trace.h"
#include "whatif/edit.h"

namespace slackline {

/// The messages that an edit selects, as the calls of either side see them. Messages are selected
/// by what their sender does: by the arguments of Selection, and by
///   operation=             of the call that sends, in the text form's word ("isend")
///   min-bytes=, max-bytes= limits of their size, both included
///   tag=, comm=            the tag, the communicator's number
///   to-ranks=              receivers, "0-7,12"
class MessageSelection {
 public:
  /// Throws usage Error for arguments that cannot be used. Linear.
  MessageSelection(const Edit& edit, const ProgramView& program, const CallPaths& paths);

  std::uint64_t count() const { return count_; }
  /// Does the call itself send, or receive, a selected message? (Not asked of start calls.)
  bool sends(std::int32_t rank, std::size_t call) const { return has(rank, call, kSends); }
  bool receives(std::int32_t rank, std::size_t call) const { return has(rank, call, kReceives); }
  /// Does this request of the rank send or receive a selected message?
  bool has_request(std::int32_t rank, std::uint32_t serial) const {
    return requests_[static_cast<std::size_t>(rank)].contains(serial);
  }
  /// Bytes of selected messages that the call hands over, or whose receive it completes.
  std::uint64_t bytes_sent(std::int32_t rank, std::size_t call) const;
  std::uint64_t bytes_completed(std::int32_t rank, std::size_t call) const;

 private:
  static constexpr std::uint8_t kSends = 1;
  static constexpr std::uint8_t kReceives = 2;
  struct Volume {
    std::uint32_t call;
    std::uint64_t bytes;
  };

  bool has(std::int32_t rank, std::size_t call, std::uint8_t half) const {
    return (halves_[static_cast<std::size_t>(rank)][call] & half) != 0;
  }
  void select(const Trace& trace, const MessageCalls& message, std::int32_t tag, std::uint32_t comm,
              std::uint32_t request);
  void mark(std::int32_t rank, CallIndex call, std::uint8_t half, std::uint32_t request);
  std::uint32_t receive_request(const Trace& trace, const MessageCalls& message, std::int32_t tag,
                                std::uint32_t comm) const;

  std::vector<std::vector<std::uint8_t>> halves_;            // by rank and call
  std::vector<std::unordered_set<std::uint32_t>> requests_;  // by rank
  std::vector<std::vector<Volume>> sent_, completed_;        // by rank, in order of calls
  std::uint64_t count_ = 0;
};

}  // namespace slackline
