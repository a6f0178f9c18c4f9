#pragma once

#include <cstdint>
#include <span>

#include "sim/engine/execution_context.h"
#include "sim/engine/processors.h"

namespace slackline {
class Network;
}

namespace slackline::sim {

class ContextScheduler;
class MessagePassing;

/// Who comes first among contexts that act at one simulated time: the seam between the engine and
/// the reproduction of another simulator's order (sim/simgrid/actor_order.h). The model leaves that
/// order open; without a ContextOrder the engine takes contexts in the order in which they became
/// ready. The engine calls these functions as things happen; the defaults change nothing.
class ContextOrder {
 public:
  virtual ~ContextOrder() = default;

  /// Before anything else; all outlive it.
  virtual void attach(ContextScheduler& /*contexts*/, MessagePassing& /*messages*/,
                      const Matching& /*matching*/, const Network& /*network*/) {}

  /// A context begins; `parent` is the one that started it, or kNone for a rank's program.
  virtual void created(ContextId /*context*/, ContextId /*parent*/) {}
  /// `child` finishes, for which `waiter` has waited.
  virtual void joined(ContextId /*waiter*/, ContextId /*child*/) {}

  enum class Turn : std::uint8_t {
    proceed,  ///< the context takes its next step
    yield,    ///< the other ready contexts go first
    taken     ///< the order has taken a step in its place
  };
  /// Asked before each step of a running context.
  virtual Turn next_turn(ContextId /*context*/) { return Turn::proceed; }
  /// The context has posted a message, or found a request over without waiting.
  virtual void acted(ContextId /*context*/) {}

  /// Whether the order posts messages itself, in its own time: begin_post() tells that the context
  /// is to post `posting.outgoing`, which MessagePassing::post_now() does; posted() tells, from
  /// within that, what is to be waited for, and MessagePassing::started() continues with it.
  virtual bool posts_messages() const { return false; }
  virtual void begin_post(ContextId /*context*/) {}
  virtual void posted(ContextId /*context*/, const Request& /*request*/) {}

  /// The context's message leaves.
  virtual void message_left(ContextId /*context*/) {}
  /// A message arrives that these two wait for, each of which may be kNone. `tied`: another one
  /// arrives at the same time, and their order is a guess.
  virtual void message_arrived(ContextId /*sender*/, ContextId /*receiver*/, bool /*tied*/) {}
  /// A request that the context waits for is over; `last`: it goes on.
  virtual void request_over(ContextId /*context*/, bool /*last*/) {}

  /// Simulated time has moved on; `ended` ends now. What is due before `until` happens now.
  virtual void time_advanced(double /*until*/, std::span<const Processors::Ended> /*ended*/) {}
  /// Whether the simulation is to be given up, as an order that was guessed affects its result.
  virtual bool gives_up() const { return false; }
};

}  // namespace slackline::sim
