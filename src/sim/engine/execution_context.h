#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "graph/collective_index.h"
#include "sim/engine/matching.h"
#include "trace/operation.h"

namespace slackline::sim {

/// What an execution context can wait for.
struct Request {
  enum class Kind : std::uint8_t { done, send, receive, context } kind = Kind::done;
  std::uint32_t id = kNone;  ///< of a transfer, or of a context
};

/// A send or a receive as the program, or a step of a collective, asks for it.
struct Message {
  std::int32_t peer = 0;
  std::int64_t tag = 0;
  std::uint32_t comm = 0;
  std::uint64_t bytes = 0;
  Operation mode = Operation::send;
  std::uint32_t serial = kRequestNone;  ///< of a point-to-point request
  bool send = true;
  bool blocking = true;
  bool anonymous = false;  ///< the receive takes the message whatever its source
};

/// Where a context is in its rank's program.
struct ProgramPosition {
  std::uint32_t next_call = 0, next_region = 0;
  std::uint32_t call = 0;          ///< the last one that began
  bool call_open = false;          ///< `call` has begun and not ended
  bool region_open = false;        ///< a region of a trace in flops has begun and not ended
  bool gap_over = false;           ///< the computation before `next_call` is done
  bool over = false;               ///< MPI_Finalize was called
  double call_began = 0;           ///< seconds
  double next_began = -1;          ///< seconds, when the next call has begun already; else < 0
  std::uint64_t computations = 0;  ///< that have begun
  double computing_since =
      -1;  ///< seconds, when it computes or sleeps as the program says; else < 0
};

/// The messages that a context has yet to start.
struct Posting {
  Message outgoing{};            ///< the one being posted
  bool detached = false;         ///< its sender does not wait for it
  std::vector<Message> queue{};  ///< sends and receives that the call still has to start
  std::size_t queued = 0;        ///< how many of them have been started
};

/// What a context waits for, and since when. Times in seconds.
struct Waiting {
  std::uint32_t pending = 0;        ///< requests that are not over
  Request for_request{};            ///< one of them, for messages
  std::vector<Request> first_of{};  ///< it waits for the first of these; empty: for all
  std::uint64_t number = 0;         ///< of all waits, in their order
  double since = 0;
  double accounted = 0;   ///< its time is attributed until here
  double busy_until = 0;  ///< end of the receive overheads that it pays meanwhile
};

/// Looking for messages as a step of a collective by order of arrival.
enum class CollectiveProbe : std::uint8_t { none, once, until_found };

/// The collective call that a context executes.
struct CollectiveProgress {
  const CollectiveIndex::Instance* instance = nullptr;  ///< nullptr: none
  const CollectiveAlgorithm* algorithm = nullptr;       ///< that performs it
  std::uint32_t sequence = 0;                           ///< on its communicator
  std::int32_t rank = 0;                                ///< among those that take part
  std::int64_t tag = 0;
  std::span<const std::int64_t> args{};  ///< of this rank's call
  std::vector<CollectiveStep> steps{};
  std::size_t next_step = 0;
};

/// What a context polls for.
struct PolledFor {
  Channel probed{};
  CollectiveProbe by_collective = CollectiveProbe::none;  ///< for `probed`
  Request tested{};
  std::uint32_t tested_serial = kRequestNone;
};

/// What executes in order: a rank's program, or the progress of one of its nonblocking collectives
/// beside it. A cursor and a small state, so that waking it up is a function call.
struct ExecutionContext {
  enum class State : std::uint8_t {
    running,
    sending,    ///< pays the overhead of `posting.outgoing`, then posts it
    computing,  ///< or asleep, until a simulated time
    blocked,    ///< the order of contexts lets it wait (context_order.h)
    waiting,    ///< for its pending requests
    overhead,   ///< its requests are over; pays the rest of its receive overheads
    testing,    ///< pays for an MPI_Test, then looks at its outcome
    probing,    ///< polls for a message
    accessing,  ///< reads or writes a file
    finished
  };

  ContextId id = kNone;
  std::int32_t rank = 0;
  bool main = true;  ///< the rank's program
  State state = State::running;
  ProgramPosition program{};
  Posting posting{};
  std::vector<Request> outstanding{};  ///< started by this call, not yet waited for
  Waiting waiting{};
  CollectiveProgress collective{};
  PolledFor polled{};
  ContextId waiter = kNone;  ///< not `main`: which context waits for this one
};

}  // namespace slackline::sim
