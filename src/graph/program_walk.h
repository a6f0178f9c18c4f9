#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/flat_map.h"
#include "base/object_pool.h"
#include "calls/call_actions.h"
#include "calls/one_sided_messages.h"
#include "graph/collective_index.h"
#include "graph/graph_builder.h"
#include "graph/link_occupancy.h"
#include "graph/message_log.h"
#include "graph/message_table.h"
#include "trace/trace.h"

namespace slackline {

/// One step of a rank whose threads call MPI at the same time.
struct ThreadStep {
  enum class Part : std::uint8_t { whole, enter, complete } part = Part::whole;
  std::uint32_t call = 0;
};

/// The order in which a rank's calls were entered and completed, from call `first` on. A call
/// during which another thread enters one is taken in two steps, so that what it waits for does not
/// hold the other back: in this order the program ran, and no step waits for a later one of its
/// rank. Empty when no calls overlap, as in every rank of one thread. O(n log t) for t threads.
std::vector<ThreadStep> thread_steps(const RankCalls& calls, std::uint32_t first);

/// Walks all ranks' programs and writes the graph; see program_walk.cc.
class ProgramWalk {
 public:
  /// `log`: if not null, every message is eager in the graph, and where its sides are posted and
  /// completed goes there; the program progresses under the options' protocol all the same.
  /// `part`: which part of its run the trace is.
  ProgramWalk(const Trace& trace, const GraphOptions& options, GraphBuilder& builder,
              MessageLog* log, const RunPart& part);

  void run();

 private:
  /// One side of a message, a nonblocking collective, or the answer to a one-sided request:
  /// something a context can wait for.
  struct Pending {
    enum class Kind : std::uint8_t { send, receive, context, answer } kind = Kind::send;
    std::uint32_t id = kNone;  ///< MessageId, ContextId or OneSidedStep::id

    bool is_message() const { return kind == Kind::send || kind == Kind::receive; }
  };

  /// A line of execution that takes steps in order: a rank's program, or the progress of one
  /// nonblocking collective beside it.
  struct Context {
    std::int32_t rank = 0;
    bool main = true;
    bool finished = false;
    bool waiting = false;         ///< `pending` must complete before anything else
    VertexId tail = kNoVertex;    ///< newest vertex of the path
    std::int64_t gap_ns = 0;      ///< computation after it
    std::uint64_t overheads = 0;  ///< multiples of o on the path so far
    std::uint32_t call = 0;       ///< the call under way; a side context's collective
    std::uint32_t next_call = 0;
    const CollectiveIndex::Instance* collective = nullptr;
    std::int64_t collective_tag = 0;
    std::vector<CollectiveStep> steps{};  ///< of the collective under way
    std::size_t step = 0;
    std::vector<Pending> outstanding{};         ///< started by the collective, not yet waited for
    std::vector<Pending> pending{};             ///< what `waiting` waits for
    std::vector<Pending> after{};               ///< to be waited for after the collective under way
    std::span<const OneSidedStep> one_sided{};  ///< steps of the call that are left
    LinkOccupancy leaving{};                    ///< eager messages that it sends
    LinkOccupancy sending{};                    ///< its sends of a rendezvous
    LinkOccupancy receiving{};                  ///< its receives of a rendezvous
    std::int64_t io_ns = 0;                     ///< I/O that the call does after its waiting
    ContextId waiter = kNone;                   ///< side: the context that waits for this one
    bool probing = false;                       ///< waits for a message to arrive on `probed`
    MessageChannel probed{};
  };

  struct SerialHash {
    std::uint64_t operator()(std::uint32_t serial) const { return mix_bits(serial); }
  };

  /// What a rank's program needs beside its path.
  struct RankState {
    FlatMap<std::uint32_t, Pending, SerialHash> requests{};
    CollectiveCursor collectives{};
    std::vector<ThreadStep> steps{};  ///< instead of the calls' order, where threads overlap
    std::size_t next_step = 0;
    std::unordered_map<std::uint32_t, std::vector<Pending>> entered{};  ///< calls not yet completed
  };

  // Contexts and their paths.
  void start_rank(std::int32_t rank, std::int64_t origin_ns);
  void pass_lead(Context& context);
  void advance(ContextId id);
  bool advance_main(ContextId id);
  bool advance_threads(ContextId id);
  void end_program(Context& context);
  bool advance_collective(ContextId id);
  std::uint32_t current_call(const Context& context) const;
  bool communicator_exists(std::uint32_t comm);
  bool peer_exists(std::int32_t peer);
  PathPoint here(const Context& context) const;
  VertexId extend(Context& context, std::uint8_t overheads);

  // Calls.
  class Actions;
  void enter_call(ContextId id, const Call& call);
  void enter_only(ContextId id, const Call& call);
  void complete_entered(ContextId id, const Call& call);
  void enter_probe(Context& context, const Call& call);
  void enter_collective(Context& context, const Call& call);
  void enter_icollective(Context& context, const Call& call);
  Pending start_side_context(Context& context, const Call& call);
  void load_collective(Context& context, const Context& program, const Call& call);
  void load_object_collective(Context& context, const Context& program);
  void load_steps(Context& context, const CollectiveIndex::Instance& instance, std::int64_t tag,
                  std::int32_t rank, const Call& call);
  void enter_one_sided(Context& context, const Call& call);
  void take_one_sided_steps(Context& context);
  void enter_io(Context& context);
  bool is_object_collective(const Context& context) const;
  std::optional<Pending> take(Context& context, const OneSidedStep& step);
  Pending post(Context& context, const OneSidedStep& step);
  void ask(Context& context, const OneSidedStep& step);
  void write_io(Context& context);
  Pending send(Context& context, std::int32_t peer, std::int64_t tag, std::uint32_t comm,
               std::uint64_t bytes, Operation mode);
  Pending receive(Context& context, std::int32_t peer, std::int64_t tag, std::uint32_t comm);
  VertexId leave(Context& context, VertexId sent, std::int32_t peer, std::uint64_t bytes);
  void started(Context& context, const PostedMessage& message, const Pending& pending);
  void request(std::int32_t rank, std::uint32_t serial, const Pending& pending);
  void take_request(Context& context, std::uint32_t serial);
  void forget_request(Context& context, std::uint32_t serial);

  // Waiting.
  bool complete(ContextId id);
  bool ready(const Pending& pending) const;
  void wait_for(const Pending& pending, ContextId id);
  void write_completion(Context& context);
  bool complete_probe(ContextId id);
  void add_posting(const Context& context, const PathPoint& posted, std::uint8_t& path_overheads);
  void occupy_links(Context& context);
  void finish_pending(const Pending& pending);

  // When nothing can move.
  bool release_something();
  bool release_hopeless();
  bool release_cycles();
  void break_cycle(const std::vector<ContextId>& cycle);
  bool blocks_on_send(ContextId id) const;
  bool release_sends(const std::vector<ContextId>& cycle, bool synchronous);
  ContextId waits_for(ContextId id) const;
  void release_receive(ContextId id);
  const Pending* blocking(const Context& context) const;

  void end_ranks();

  /// What a message of that size costs.
  std::uint64_t transfer_bytes(std::uint64_t size) const {
    return log_ == nullptr ? options_.transfer.bytes(size) : size;
  }

  const Trace& trace_;
  const GraphOptions& options_;
  GraphBuilder& builder_;
  MessageLog* log_;
  const RunPart part_;
  const bool serial_links_;
  const bool data_waits_;  ///< a rendezvous sends no data before the receive is posted
  MessageTable messages_;
  const CollectiveCalls assembled_;
  CollectiveIndex collectives_;
  ObjectCollectives objects_;
  OneSidedMessages one_sided_;
  std::vector<Edge> answers_;  // by OneSidedStep::id, as far as they were asked for
  std::vector<RankState> ranks_;
  ObjectPool<Context> contexts_;  // the first ones are the ranks' programs
  std::vector<ContextId> ready_;
  std::vector<Edge> edges_;                       // scratch of write_completion
  std::vector<std::uint32_t> completed_sends_;    // the same, by index in the log
  std::vector<LinkOccupancy::Message> sent_;      // scratch of occupy_links
  std::vector<LinkOccupancy::Message> received_;  // the same
};

}  // namespace slackline
