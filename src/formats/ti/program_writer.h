#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/findings.h"
#include "trace/trace.h"

namespace slackline::ti {

inline constexpr FindingKind kSubCommunicator{
    "subcommunicator_left_out", Severity::data_loss,
    "Collectives on communicators other than MPI_COMM_WORLD and its duplicates were omitted: the "
    "format does not support them."};
inline constexpr FindingKind kNonblockingCollective{
    "nonblocking_collective_as_blocking", Severity::notice,
    "Nonblocking collectives were written as blocking ones where they are completed: the replay "
    "has "
    "only those."};
inline constexpr FindingKind kNoAction{
    "call_without_action", Severity::notice,
    "Calls without a replay action (probes, unsuccessful tests, one-sided communication, MPI-IO, "
    "creation of communicators) were omitted."};
inline constexpr FindingKind kLostShare{
    "calls_left_out", Severity::notice,
    "Calls in total that the replay format does not hold; predictions of the written file miss the "
    "time that ranks spend in them and the waiting that they cause."};
inline constexpr FindingKind kSendrecvSplit{
    "sendrecv_split", Severity::info,
    "MPI_Sendrecv with tags were written as a receive, a send and a wait: the action has no tags."};
inline constexpr FindingKind kModes{
    "send_mode_lost", Severity::info,
    "Buffered, synchronous and ready sends were written as standard sends."};
inline constexpr FindingKind kSizeCut{
    "size_cut", Severity::data_loss,
    "Sizes over 8 PiB were written as 8 PiB: the replay's numbers are exact up to 2^53."};
inline constexpr FindingKind kThreadsMerged{
    "threads_merged", Severity::notice,
    "Calls of several threads were written as one sequence: the format has no threads."};

/// Communication that the file does not hold, of all ranks together.
struct LostCalls {
  std::uint64_t calls = 0;
  std::int64_t mpi_ns = 0;  ///< what they lasted
};

/// Writes the actions of one rank.
class ProgramWriter {
 public:
  /// `late_ns`: how much later than the earliest rank it leaves MPI_Init, beside its computation.
  ProgramWriter(const Trace& trace, std::int32_t rank, std::int64_t late_ns, OutputFile& file,
                Findings& findings, LostCalls& lost);
  void write();

 private:
  /// What a wait names its request by.
  struct Key {
    std::int64_t source;
    std::int64_t destination;
    std::int64_t tag;
  };
  /// A number of elements and their SimGrid type.
  struct Elements {
    std::uint64_t count;
    int type;
  };

  void gap(std::size_t i);
  void begin_line(std::string_view action);
  void start_late();
  void leave_out(const Call& call);
  bool is_world(std::uint32_t comm) const;
  void call(const Call& call);
  void message(std::string_view action, std::int64_t peer, std::int64_t tag, std::uint64_t bytes);
  void isend(const Call& call);
  void irecv(const Call& call);
  void start(const Call& call);
  void sendrecv(const Call& call);
  void wait(const Key& key);
  void wait(std::uint32_t request);
  void completion(const Call& call);
  void collective(const Call& call);
  void blocking_collective(const Call& call);
  void write_pending_until(std::uint32_t request);
  void write_all_pending();
  void rooted(const Call& call, Elements elements);
  void vector_collective(const Call& call, Elements elements);
  void counts(std::span<const std::int64_t> bytes, int type, std::uint64_t own);

  Elements elements(std::uint64_t bytes, std::int32_t element);
  std::uint64_t in_elements(std::int64_t bytes, int type);
  std::uint64_t within_limit(std::uint64_t count);
  std::int64_t peer(std::int32_t rank) const;

  template <class... Words>
  void line(std::string_view action, Words... words);

  const Trace& trace_;
  const RankCalls& calls_;
  std::int32_t rank_;
  std::int64_t late_ns_;  // not yet written
  OutputFile& file_;
  Findings& findings_;
  LostCalls& lost_;
  std::string text_;
  std::map<std::uint32_t, Key> requests_;  // under way
  std::vector<Call> pending_;              // nonblocking collectives under way, in their order
  std::size_t next_region_ = 0;
  std::int64_t compute_ns_ = 0;  // not yet written
};

}  // namespace slackline::ti
