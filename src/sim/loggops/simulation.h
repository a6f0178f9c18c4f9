#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "sim/loggops/event_queue.h"
#include "sim/loggops/loggops.h"
#include "sim/loggops/matching.h"
#include "sim/loggops/tick_model.h"
#include "sim/loggops/waiting_queue.h"
#include "trace/goal/program.h"

namespace slackline {

/// One run of simulate_loggops() (see simulation.cc).
class LogGOPSSimulation {
 public:
  /// All must outlive it. Throws Error when a single step exceeds 63 bits.
  LogGOPSSimulation(const GoalProgram& program, const LogGOPS& model, std::string_view name);

  /// Once only. Throws Error as simulate_loggops().
  LogGOPSRun run();

 private:
  using Time = LogGOPSTicks::Time;
  using Event = LogGOPSEvent;

  /// Times stay below this, so that sums of a few cannot overflow.
  static constexpr Time kMostTime = std::numeric_limits<Time>::max() / 4;

  /// An operation of a rank.
  struct Place {
    std::uint32_t rank;
    std::uint32_t operation;
  };
  /// An operation, or a message on arrival, that is due and needs its resources.
  struct Attempt {
    Time time;
    std::uint64_t age;
    Place place;
    std::uint32_t peer;  ///< of a message: its sender, whose operation it is
    bool message;
  };

  void prepare();
  void check_range(const GoalOperation& op) const;
  [[noreturn]] void fail_range() const;

  void try_operations(const Event& event);
  void attempt(const Attempt& a);
  void schedule_oldest(std::size_t number);
  void serve(const Event& event);
  Time free_at(const Attempt& a, const GoalOperation& op) const;
  std::size_t queue_of(const Attempt& a, const GoalOperation& op) const;

  void perform(const Attempt& a, const GoalOperation& op);
  void perform_calc(const Attempt& a, const GoalOperation& op);
  void perform_send(const Attempt& a, const GoalOperation& op);
  void perform_receive(const Attempt& a, const GoalOperation& op);
  void perform_message(const Attempt& a, const GoalOperation& op);
  void free_sender(Place send, const GoalOperation& op, Time now);
  void set(Time& free, Time time);

  void satisfy(Place p, bool start, Time now);
  void create_for_ranks();
  void create(std::uint32_t rank, bool initial);
  Time first_chance(Place p) const;

  void require_all_done() const;
  LogGOPSRun result() const;

  GoalOperation operation(Place p) const { return program_.ranks[p.rank][p.operation]; }
  GoalOperation operation_of(const Attempt& a) const {
    return operation({a.message ? a.peer : a.place.rank, a.place.operation});
  }
  GoalKind kind_of(Place p) const { return program_.ranks[p.rank].kind(p.operation); }
  std::size_t number(Place p) const { return base_[p.rank] + p.operation; }
  std::size_t cpu(std::uint32_t rank, std::uint32_t cpu) const {
    return std::size_t{rank} * cpus_ + cpu;
  }
  std::size_t nic(std::uint32_t rank, std::uint32_t nic) const {
    return std::size_t{rank} * nics_ + nic;
  }
  /// (bytes - 1) times `each`: a message of no bytes counts as one of one byte, unless LogGOPSim's
  /// deviations are reproduced.
  Time per_byte(std::uint64_t bytes, Time each) const {
    if (bytes == 0) return model_.loggopsim_deviations ? -each : 0;
    return static_cast<Time>(bytes - 1) * each;
  }

  const GoalProgram& program_;
  const LogGOPS& model_;
  LogGOPSTicks ticks_;
  std::string_view name_;
  NoiseClock noise_;
  LogGOPSMatching matching_;
  std::vector<std::size_t> base_;  ///< the number of each rank's first operation
  std::vector<GoalAdjacency> successors_;
  std::vector<std::uint32_t> missing_;  ///< by operation: dependencies that are not satisfied yet
  std::vector<std::uint32_t> next_;     ///< by operation: the next one of the same event
  std::vector<Time> ready_;             ///< with several cpus, by operation: when its last
                                        ///< dependency was satisfied
  bool starts_matter_ = false;          ///< some operation depends on the start of another
  std::uint32_t cpus_ = 1;
  std::uint32_t nics_ = 1;
  std::vector<Time> cpu_free_;
  std::vector<Time> send_free_;
  std::vector<Time> receive_free_;
  std::size_t queues_per_rank_ = 0;
  std::vector<LogGOPSWaitingQueue> queues_;
  LogGOPSEventQueue events_;
  std::vector<Place> executable_;
  std::vector<Place> of_several_ranks_;
  std::uint64_t next_age_ = 0;
  std::uint64_t performed_ = 0;
};

}  // namespace slackline
