#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "online/live_collectives.h"
#include "online/message_matching.h"
#include "online/one_sided.h"
#include "online/processes.h"
#include "online/shared_memory.h"
#include "online/simulator_process.h"
#include "sim/engine/context_order.h"
#include "sim/engine/live_calls.h"
#include "sim/engine/message_passing.h"
#include "sim/engine/polling.h"
#include "sim/engine/requests.h"
#include "sim/platform/platform.h"
#include "trace/trace_builder.h"

namespace slackline::online {

/// The calls of processes that run while they are simulated; see online_program.cc. It also matches
/// their messages, as the engine's ContextOrder. Cost: two changes of process a call, some 10 us
/// each.
class OnlineProgram : public sim::LiveCalls, public sim::ContextOrder {
 public:
  struct Job {
    SharedMemory& memory;
    Processes& processes;
    TraceBuilder& trace;  ///< untimed; gets the calls
    double compute_scale = 1;
    double reference_speed = 0;  ///< flop/s; 0: the simulated host's
    double test_seconds = 0;     ///< what an unsuccessful test takes
    const Platform& platform;
    bool watch_memory = false;  ///< ends the run before it takes the last of the machine's memory
    bool knows_call_paths = true;  ///< of waiting processes, which have one rank each
  };
  /// All of it must outlive this object.
  explicit OnlineProgram(const Job& job);

  void begin(sim::ContextScheduler& contexts, sim::MessagePassing& messages,
             sim::Requests& requests, sim::Polling& polling) override;
  bool can_find(const sim::ExecutionContext& context) const override;
  void next(sim::ExecutionContext& context) override;
  CollectiveCursor::Entered enter(const sim::ExecutionContext& context, const Call& call) override;
  sim::Channel as_asked_for(const sim::Channel& channel) const override;
  std::string call_path(std::int32_t rank) const override;
  std::string deadlock_advice() const override;

  /// A signal has come: what has been simulated until now is the result.
  bool gives_up() const override { return interrupted_; }
  bool posts_messages() const override { return true; }
  void begin_post(sim::ContextId context) override;
  void posted(sim::ContextId context, const sim::Request& request) override;

  std::uint64_t calls() const { return calls_; }

 private:
  enum class Phase : std::uint8_t {
    starting,     ///< the process has not called MPI_Init
    executing,    ///< the engine executes the call; what follows is its answer
    computing,    ///< the computation before the call
    polling,      ///< a test or a wait for the first of several
    locking,      ///< its request for a window's lock is on the way
    transferring  ///< a one-sided call waits for transfers, or for a lock
  };
  struct Outgoing {
    std::uint64_t data = 0, bytes = 0;
  };
  struct RankState {
    Phase phase = Phase::starting;
    slk_online_call call{};
    std::vector<slk_online_call> queue{};          ///< handed over with others, in reverse order
    std::vector<std::int64_t> list{};              ///< the call's arguments
    double gap_ns = 0;                             ///< computed since the last call in the trace
    double ahead_ns = 0;                           ///< of that, what has not been simulated
    std::map<std::uint32_t, Outgoing> outgoing{};  ///< by request; 0: a call that blocks
    std::map<std::uint32_t, SentMessage> got{};    ///< what receives have matched
    std::map<std::uint32_t, LiveCollective*> collectives{};  ///< by request; 0: one that blocks
    std::map<std::uint32_t, std::size_t> receives{};         ///< calls in the trace to be resolved
    std::map<std::uint32_t, std::size_t> makers{};  ///< by request: calls that make a communicator
    std::vector<LiveCollective*> left{};            ///< collectives whose data were read last
  };

  RankState& state(std::int32_t rank) { return states_[static_cast<std::size_t>(rank)]; }
  void answer(sim::ExecutionContext& context);
  bool fetch(sim::ExecutionContext& context);
  bool await_call(std::int32_t rank);
  bool take_calls(std::int32_t rank);
  void show_progress();
  void begin_gap(sim::ExecutionContext& context);
  void perform(sim::ExecutionContext& context);
  void perform_call(sim::ExecutionContext& context, Operation operation);
  Call file_access(const sim::ExecutionContext& context, Operation operation);
  std::int64_t trace_time(std::int32_t rank);
  void append_region(std::int32_t rank);
  void append(sim::ExecutionContext& context, Call call);
  void append_completion(sim::ExecutionContext& context, Operation operation,
                         std::vector<std::int64_t> places);
  void append_failed(sim::ExecutionContext& context, Call call);
  std::uint32_t serial_at(std::int32_t rank, std::int64_t place);
  void post_message(sim::ExecutionContext& context, Operation operation);
  void exchange(sim::ExecutionContext& context, Operation operation);
  void enter_collective(sim::ExecutionContext& context, Operation operation);
  void test(sim::ExecutionContext& context, Operation operation);
  void begin_probe(sim::ExecutionContext& context);
  void end_probe(sim::ExecutionContext& context, Operation operation);
  void give_completed(sim::ExecutionContext& context);
  void give_message(sim::ExecutionContext& context, std::uint32_t serial, std::uint32_t place);
  std::int64_t give_board(std::int32_t rank, LiveCollective& collective, std::size_t at);
  std::int64_t give_made(std::int32_t rank, LiveCollective& collective, std::size_t maker,
                         std::size_t at);
  void give_communicator(std::int32_t rank, LiveCollective& collective);
  void release(RankState& of);
  std::vector<sim::Request> requests_of(const sim::ExecutionContext& context);
  void begin_one_sided(sim::ExecutionContext& context, Operation operation);
  void ask_for_lock(sim::ExecutionContext& context);
  void end_one_sided(sim::ExecutionContext& context);
  void cancel(sim::ExecutionContext& context);
  void message_matched(const PostedReceive& receive, const SentMessage& message);

  Job job_;
  sim::ContextScheduler* contexts_ = nullptr;
  sim::MessagePassing* messages_ = nullptr;
  sim::Requests* requests_ = nullptr;
  sim::Polling* polling_ = nullptr;
  std::vector<RankState> states_;
  MessageMatching matching_;
  OneSided one_sided_;
  LiveCollectives collectives_;
  std::uint64_t calls_ = 0;
  bool interrupted_ = false;
  MemoryWatch memory_watch_{[] { return available_memory(); }};
  Progress progress_{"simulating:", 0};
};

}  // namespace slackline::online
