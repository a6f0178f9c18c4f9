#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "online/message_matching.h"
#include "sim/engine/context_scheduler.h"
#include "sim/engine/requests.h"

namespace slackline::online {

/// The time of one-sided communication; see one_sided.cc. The data are moved by the processes
/// (runtime/online). A window is named by its communicator, ranks are world ranks. Cost: two
/// messages an operation.
class OneSided {
 public:
  /// Any number of ranks, as the target of what is waited for or locked.
  static constexpr std::int32_t kAll = kPeerAny;

  OneSided(std::int32_t ranks, MessageMatching& numbers);
  /// Before anything else; both outlive it.
  void begin(sim::ContextScheduler& contexts, sim::Requests& requests);

  /// Bytes go to the target, then bytes come back; over when those have arrived.
  struct Transfer {
    std::uint32_t window = 0;
    std::int32_t target = 0;
    std::uint64_t bytes_there = 0, bytes_back = 0;
  };
  sim::Request start(const sim::ExecutionContext& origin, const Transfer& transfer);
  /// The same; wait() and not a request of the program tells when it is over.
  void start_unnamed(const sim::ExecutionContext& origin, const Transfer& transfer);
  /// The context goes on when its unnamed transfers to that target are over.
  void wait(sim::ExecutionContext& origin, std::uint32_t window, std::int32_t target);

  /// The destination receives the message with that number and discards it.
  void discard(std::int32_t destination, std::uint32_t comm, std::int64_t number);

  /// The rank sends itself the message with that number, which holds nothing.
  void satisfy(std::int32_t rank, std::uint32_t comm, std::int64_t number);

  /// The context gets the lock, or is blocked until it does. Locks are given in the order in which
  /// they are asked for, but shared ones do not wait for exclusive ones that wait.
  void lock(sim::ExecutionContext& origin, std::uint32_t window, std::int32_t target,
            bool exclusive);
  void unlock(std::int32_t origin, std::uint32_t window, std::int32_t target);

 private:
  struct Pending {
    std::uint32_t window = 0;
    std::int32_t target = 0;
    sim::Request request{};
  };
  struct Lock {
    std::int32_t target = 0;
    bool exclusive = false;
    std::int32_t origin = 0;
    sim::ContextId context = sim::kNone;
  };
  struct Locks {
    std::vector<Lock> held{};
    std::deque<Lock> wanted{};
  };

  void release_finished();
  void start_at(std::int32_t rank, const sim::Message& message);
  static bool can_have(const Locks& locks, const Lock& lock);

  MessageMatching& numbers_;
  sim::ContextScheduler* contexts_ = nullptr;
  sim::Requests* requests_ = nullptr;
  std::vector<std::vector<Pending>> pending_;  // by origin
  std::vector<sim::ContextId> at_targets_;     // contexts without a waiting call
  std::size_t unfinished_ = 0;                 // of them, when they were last looked through
  std::map<std::uint32_t, Locks> locks_;       // by window
};

}  // namespace slackline::online
