#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/flat_map.h"
#include "base/object_pool.h"
#include "calls/call_actions.h"
#include "graph/collective_index.h"
#include "graph/graph_builder.h"
#include "graph/thread_steps.h"
#include "graph/transfers.h"

namespace slackline {

/// Walks all ranks' programs and writes the graph; see program_walk.cc.
class ProgramWalk {
 public:
  ProgramWalk(const Trace& trace, const GraphOptions& options, GraphBuilder& builder);

  void run();

 private:
  /// One side of a transfer, or a nonblocking collective: something a strand can wait for.
  struct Pending {
    enum class Kind : std::uint8_t { send, receive, strand } kind = Kind::send;
    std::uint32_t id = kNone;  ///< MessageId or StrandId
  };

  /// A line of execution that takes steps in order: a rank's program, or the progress of one
  /// nonblocking collective beside it.
  struct Strand {
    std::int32_t rank = 0;
    bool main = true;
    bool finished = false;
    bool waiting = false;         ///< `pending` must complete before anything else
    VertexId tail = kNoVertex;    ///< newest vertex of the path
    std::int64_t gap_ns = 0;      ///< computation after it
    std::uint64_t overheads = 0;  ///< multiples of o on the path so far
    std::uint32_t call = 0;       ///< the call under way; a side strand's collective
    std::uint32_t next_call = 0;
    const CollectiveIndex::Instance* collective = nullptr;
    std::int64_t collective_tag = 0;
    std::vector<CollectiveStep> steps{};  ///< of the collective under way
    std::size_t step = 0;
    std::vector<Pending> outstanding{};  ///< started by the collective, not yet waited for
    std::vector<Pending> pending{};      ///< what `waiting` waits for
    StrandId waiter = kNone;             ///< side: the strand that waits for this one
    bool probing = false;                ///< waits for a message to arrive on `probed`
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

  // Strands and their paths.
  void start_rank(std::int32_t rank, std::int64_t origin_ns);
  void advance(StrandId id);
  bool advance_main(StrandId id);
  bool advance_threads(StrandId id);
  bool advance_collective(StrandId id);
  std::uint32_t current_call(const Strand& strand) const;
  bool communicator_exists(std::uint32_t comm);
  bool peer_exists(std::int32_t peer);
  PathPoint here(const Strand& strand) const;
  VertexId extend(Strand& strand, std::uint8_t overheads);

  // Calls.
  class Actions;
  void enter_call(StrandId id, const Call& call);
  void enter_only(StrandId id, const Call& call);
  void complete_entered(StrandId id, const Call& call);
  void enter_probe(Strand& strand, const Call& call);
  void enter_collective(Strand& strand, const Call& call);
  void enter_icollective(Strand& strand, const Call& call);
  Pending start_side_strand(Strand& strand, const Call& call);
  void load_collective(Strand& strand, const Strand& program, const Call& call);
  Pending send(Strand& strand, std::int32_t peer, std::int64_t tag, std::uint32_t comm,
               std::uint64_t bytes, Operation mode);
  Pending receive(Strand& strand, std::int32_t peer, std::int64_t tag, std::uint32_t comm);
  void started(Strand& strand, const PostedMessage& message, const Pending& pending);
  void request(std::int32_t rank, std::uint32_t serial, const Pending& pending);
  void take_request(Strand& strand, std::uint32_t serial);
  void forget_request(Strand& strand, std::uint32_t serial);

  // Waiting.
  bool complete(StrandId id);
  bool ready(const Pending& pending) const;
  void wait_for(const Pending& pending, StrandId id);
  void write_completion(Strand& strand);
  bool complete_probe(StrandId id);
  void add_posting(const Strand& strand, const PathPoint& posted, std::uint8_t& path_overheads);
  void finish_pending(const Pending& pending);

  // When nothing can move.
  bool release_something();
  bool release_hopeless();
  bool release_cycles();
  void break_cycle(const std::vector<StrandId>& cycle);
  bool blocks_on_send(StrandId id) const;
  StrandId waits_for(StrandId id) const;
  void release_receive(StrandId id);
  const Pending* blocking(const Strand& strand) const;

  void end_ranks();

  const Trace& trace_;
  GraphBuilder& builder_;
  TransferTable transfers_;
  CollectiveIndex collectives_;
  std::vector<RankState> ranks_;
  ObjectPool<Strand> strands_;  // the first ones are the ranks' programs
  std::vector<StrandId> ready_;
  std::vector<Edge> edges_;  // scratch of write_completion
};

}  // namespace slackline
