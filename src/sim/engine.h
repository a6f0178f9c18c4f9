#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/flat_map.h"
#include "base/slots.h"
#include "graph/collective_index.h"
#include "sim/collective_nodes.h"
#include "sim/link_view.h"
#include "sim/matching.h"
#include "sim/network.h"
#include "sim/overheads.h"
#include "sim/processors.h"
#include "sim/simulation.h"
#include "sim/slowed_messages.h"

namespace slackline::sim {

/// Executes all ranks of a trace in simulated time; see engine.cc.
class Engine {
 public:
  Engine(const Trace& trace, const Platform& platform, const std::vector<HostId>& hosts,
         const SimulationOptions& options, OrderOfEnds order);

  /// Nothing if `order` was to be noticed, and matters.
  std::optional<Simulation> run();

 private:
  /// What a strand can wait for.
  struct Request {
    enum class Kind : std::uint8_t { done, send, receive, strand } kind = Kind::done;
    std::uint32_t id = kNone;
  };
  /// A message as its sender hands it over.
  struct Message {
    std::int32_t peer = 0;
    std::int64_t tag = 0;
    std::uint32_t comm = 0;
    std::uint64_t bytes = 0;
    Operation mode = Operation::send;
    std::uint32_t serial = kRequestNone;  ///< of a point-to-point request
    bool send = true;
    bool blocking = true;
    bool anonymous = false;  ///< the receive takes it whoever sends it
  };
  enum class State : std::uint8_t {
    running,
    posting,    ///< pays the overhead of `outgoing`, then hands it over
    computing,  ///< or asleep; goes on at a date
    locked,     ///< out of the mailboxes that `outgoing` is for
    waiting,    ///< for `open` requests
    settling,   ///< all are there; pays what is left of the receive overheads
    testing,    ///< pays for an MPI_Test, then looks
    probing,    ///< polls for a message
    finished
  };

  /// Looking for messages as a step of a collective: once, or until there is one.
  enum class Look : std::uint8_t { none, once, polls };

  /// What is still to be done before `outgoing` is posted, where there are two mailboxes.
  enum class Posting : std::uint8_t { none, lock, probe, probe_again, post, unlock };
  /// A rank's mailboxes, for small messages and for others; who posts holds them.
  struct Mailboxes {
    StrandId owner = kNone;
    std::deque<StrandId> waiting{};
  };

  /// A line of execution that takes steps in order: a rank's program, or the progress of one
  /// nonblocking collective beside it.
  struct Strand {
    std::int32_t rank = 0;
    bool main = true;
    State state = State::running;
    bool call_open = false;    ///< `call` has begun and not ended
    bool region_open = false;  ///< likewise a region of a trace in flops
    bool gap_over = false;     ///< the computation before `next_call` is done
    bool program_over = false;
    std::uint32_t next_call = 0, next_region = 0;
    std::uint32_t call = 0;
    std::uint32_t open = 0;      ///< requests still waited for
    std::uint32_t turns = 0;     ///< to let pass before it goes on
    std::uint32_t together = 0;  ///< requests that were over at `last_over`
    double last_over = -1;
    std::uint64_t tie = 0;         ///< who has the same, their order is not known; 0: it is
    std::uint64_t wait_began = 0;  ///< which of all waits this is, in their order
    double began = 0;              ///< the call
    double accounted = 0;          ///< its time is attributed until here
    double busy_until = 0;         ///< receive overheads under way
    double since = 0;              ///< it has been waiting
    double computing_since = -1;   ///< >= 0: computes, or sleeps as the program says
    Message outgoing{};
    bool detached = false;         ///< `outgoing`
    Request waits_for{};           ///< one of the open ones, for messages
    std::vector<Message> queue{};  ///< sends and receives that the call still has to start
    std::size_t queued = 0;
    std::vector<Request> outstanding{};  ///< started by this call, not yet waited for
    Posting posting = Posting::none;     ///< of `outgoing`
    Request posted{};
    const CollectiveIndex::Instance* collective = nullptr;
    std::uint32_t collective_sequence = 0;
    std::int32_t collective_rank = 0;  ///< of `rank` among those that take part
    std::int64_t collective_tag = 0;
    std::span<const std::int64_t> collective_args{};  ///< of this rank's call
    std::vector<CollectiveStep> steps{};
    std::size_t step = 0;
    StrandId waiter = kNone;  ///< side: who waits for this one
    Channel probed{};
    Look look = Look::none;  ///< for `probed`
    Request tested{};
    std::uint32_t tested_serial = kRequestNone;
  };
  struct SerialHash {
    std::uint64_t operator()(std::uint32_t serial) const { return mix_bits(serial); }
  };
  struct RankState {
    FlatMap<std::uint32_t, Request, SerialHash> requests{};
    FlatMap<std::uint32_t, std::uint32_t, SerialHash> collective_count{};  // by communicator
    FlatMap<std::uint32_t, std::int32_t, SerialHash> rank_in_comm{};
  };

  // engine.cc: time passes.
  void start_rank(std::int32_t rank, std::int64_t origin_ns);
  void run_ready();
  void resume(StrandId id);
  void resume_after_date(StrandId id);
  void arrive(const Network::Arrival& arrival);
  void count(const Network::Arrival& arrival, const Transfer& transfer);
  bool stuck();
  bool can_find(const Strand& strand);
  void finish(StrandId id);
  void finish_result();
  void report_unmatched();

  // engine_program.cc: what comes next in a rank's program.
  void advance(StrandId id);
  void next_item(StrandId id);
  void next_region(Strand& strand, StrandId id);
  void begin_call(StrandId id);
  std::int32_t rank_in(const Strand& strand, const CollectiveIndex::Instance& instance);
  void end_open_items(Strand& strand);
  void end_program(StrandId id);
  void enter_sendrecv(Strand& strand, const Call& call);
  void enter_start(Strand& strand, const Call& call);
  void enter_completion(StrandId id, const Call& call);
  void enter_collective(StrandId id, const Call& call);
  void load_collective(Strand& strand, const Call& call);
  void expand_collective(Strand& strand);
  void keep_arrivals(const CollectiveIndex::Instance& instance, std::uint32_t sequence,
                     const Arrivals& arrivals, ArrivalRecord&& first);
  void enter_probe(StrandId id, const Call& call);
  bool peer_exists(std::int32_t peer);
  void begin_message(StrandId id, const Call& call, bool send, bool blocking);

  // engine_steps.cc: messages and waiting.
  void collective_step(StrandId id);
  std::int32_t member(const Strand& strand, std::int32_t peer) const;
  void look(StrandId id, const CollectiveStep& step);
  void end_look(Strand& strand);
  void spend_on_look(StrandId id, State state);
  void account_look(const Strand& strand, bool found);
  void pass_time(StrandId id, double seconds);
  Channel channel_of(const Strand& strand) const;
  void start_message(StrandId id, const Message& message);
  void begin_send(StrandId id, const Message& message);
  void hand_over(StrandId id);
  void post(StrandId id);
  void post_receive(StrandId id, const Message& message);
  void leave(TransferId id, StrandId by);
  void started(StrandId id, const Message& message, Request request);
  void wait_for(StrandId id, std::span<const Request> requests);
  void wait_outstanding(StrandId id);
  bool is_over(const Request& request) const;
  void complete(Strand& strand, const Request& request, double message_started);
  void request_over(StrandId id, const Request& request, double message_started);
  void all_there(StrandId id);
  void test(StrandId id);
  void poll(StrandId id);
  void sleep(StrandId id, double seconds, State state);
  void take_turn(Strand& strand);

  // engine_mailboxes.cc: who comes first at two mailboxes.
  void step_posting(StrandId id);
  void lock_mailboxes(StrandId id);
  void unlock_mailboxes(StrandId id);
  bool probes_again(const Strand& strand);
  std::int32_t destination(const Strand& strand) const;
  void compute(StrandId id, double flops);
  void account_wait(Strand& strand, double message_started);

  // engine_ties.cc
  void untie(std::span<const Processors::Ended> ended);
  void look_around(double until, std::span<const Processors::Ended> ended);
  void tie(StrandId id, bool tied);
  void start_in_order(StrandId id);
  bool order_matters() const;

  // engine_deadlock.cc
  [[noreturn]] void deadlock();
  std::string blocked_on(const Strand& strand);

  HostId host(std::int32_t rank) const { return hosts_[static_cast<std::size_t>(rank)]; }
  RankTimes& times(std::int32_t rank) { return result_.ranks[static_cast<std::size_t>(rank)]; }
  RankState& state(std::int32_t rank) { return rank_states_[static_cast<std::size_t>(rank)]; }

  const Trace& trace_;
  const Platform& platform_;
  const std::vector<HostId>& hosts_;
  const SimulationOptions& options_;
  const NetworkModel& model_;
  const bool in_flops_;
  const OrderOfEnds order_;
  Simulation result_;
  std::shared_ptr<LinkUsage> usage_;
  SlowedMessages slowed_;
  Overheads overheads_;
  CollectiveIndex collectives_;
  CollectiveNodes nodes_;
  struct FoundArrivals {
    ArrivalRecord record{};
    std::size_t complete = 0;  ///< ranks that know all of their steps
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, FoundArrivals> arrivals_;  // by call
  Matching matching_;
  LinkView links_;
  Network network_;
  Processors processors_;
  double now_ = 0;
  std::vector<RankState> rank_states_;
  std::vector<Mailboxes> mailboxes_;  // by rank; empty where one mailbox does
  Slots<Strand> strands_;             // the first are the ranks' programs
  std::vector<StrandId> ready_;
  std::size_t ready_at_ = 0;
  std::size_t unfinished_ = 0, polling_ = 0;
  std::uint64_t waits_ = 0;
  std::uint32_t failed_tests_ = 1, failed_probes_ = 1;  // of all ranks, as SimGrid counts
  std::uint64_t start_tie_ = 0;  ///< of who started the last message with one, when, and who
  double start_date_ = -1;
  StrandId starter_ = kNone;
  bool order_matters_ = false;
  bool exact_ = true;                ///< all dates so far are SimGrid's to the last bit
  std::vector<std::uint64_t> ties_;  // scratch
  std::vector<Request> waited_;      // scratch
};

}  // namespace slackline::sim
