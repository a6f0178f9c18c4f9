#pragma once

#include <cstdint>
#include <string>

#include "graph/collective_index.h"
#include "sim/engine/execution_context.h"
#include "trace/trace.h"

namespace slackline::sim {

class ContextScheduler;
class MessagePassing;
class Polling;
class Requests;

/// Where the calls of a program come from that runs while it is simulated: the seam between the
/// engine and on-line simulation (src/online). The trace then grows as the program goes on, and
/// the engine executes each call once it is there.
class LiveCalls {
 public:
  virtual ~LiveCalls() = default;

  /// Before anything else; all outlive it.
  virtual void begin(ContextScheduler& contexts, MessagePassing& messages, Requests& requests,
                     Polling& polling) = 0;

  /// The running context's program has executed all calls that are known. Appends the next one,
  /// whose computation before it is then over, or lets the context wait for something; asked again
  /// when the context runs on.
  virtual void next(ExecutionContext& context) = 0;

  /// Whether a rank that polls would find a message now.
  virtual bool can_find(const ExecutionContext& context) const = 0;

  /// The collective that the context's rank enters with this call, as far as one rank knows it.
  /// The instance must live until the context's next one.
  virtual CollectiveCursor::Entered enter(const ExecutionContext& context, const Call& call) = 0;

  /// The channel with the source and the tag that the program gave, if it is matched by another.
  virtual Channel as_asked_for(const Channel& channel) const { return channel; }

  /// Where in its program the rank is now: "main/solve/exchange"; empty where that is not known.
  virtual std::string call_path(std::int32_t) const { return {}; }

  /// Why it may wait forever, beyond its own calls: sentences, or empty.
  virtual std::string deadlock_advice() const { return {}; }
};

}  // namespace slackline::sim
