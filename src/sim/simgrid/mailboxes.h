#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "sim/engine/context_scheduler.h"
#include "sim/engine/message_passing.h"

namespace slackline::simgrid {

using sim::ContextId;
using sim::ExecutionContext;
using sim::Request;

/// The two mailboxes of each rank under eager messages, and who posts to them when; see
/// mailboxes.cc. Cost: O(1) a message.
class Mailboxes {
 public:
  /// All must outlive it. Messages below `eager_below` bytes are small.
  Mailboxes(std::int32_t ranks, double eager_below, sim::ContextScheduler& contexts,
            sim::MessagePassing& messages, const sim::Matching& matching);

  void created(ContextId context);
  /// The context is to post its outgoing message, in the steps that follow.
  void begin(ContextId context) { of(context).stage = Stage::lock; }
  bool is_posting(ContextId context) const { return posts_[context].stage != Stage::none; }
  /// Takes the next step. Returns whether it was a turn of the context's actor.
  bool step(ContextId context);
  /// Keeps the request of the message that the present step posts, for the last step.
  void keep_request(ContextId context, const Request& request) { of(context).request = request; }

 private:
  enum class Stage : std::uint8_t { none, lock, probe, probe_again, post, unlock };
  /// The message that a context is posting.
  struct Post {
    Stage stage = Stage::none;
    Request request{};
  };
  /// A rank's mailboxes, which the context that posts holds.
  struct Pair {
    ContextId owner = sim::kNone;
    std::deque<ContextId> waiting{};
  };

  Post& of(ContextId context) { return posts_[context]; }
  Pair& destination(const ExecutionContext& context);
  bool lock(ContextId context);
  void unlock(ContextId context);
  bool probes_again(const ExecutionContext& context) const;

  const double eager_below_;
  sim::ContextScheduler& contexts_;
  sim::MessagePassing& messages_;
  const sim::Matching& matching_;
  std::vector<Pair> by_rank_;
  std::vector<Post> posts_;  ///< by context
};

}  // namespace slackline::simgrid
