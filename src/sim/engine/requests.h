#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/flat_map.h"
#include "sim/engine/context_order.h"
#include "sim/engine/context_scheduler.h"
#include "sim/engine/statistics.h"
#include "sim/network/network_model.h"

namespace slackline::sim {

/// Each rank's requests, and waiting for them: when a request is over, what its receiver pays then,
/// and when the context that waits goes on. Cost: O(1) a request.
class Requests {
 public:
  /// All must outlive it; `order` may be nullptr.
  Requests(std::int32_t ranks, ContextScheduler& contexts, Matching& matching, Overheads& overheads,
           TimeAccounting& accounting, ContextOrder* order);

  /// A rank's requests by the serial numbers that its program gives them.
  void add(std::int32_t rank, std::uint32_t serial, const Request& request) {
    of(rank)[serial] = request;
  }
  /// nullptr when there is none; valid until the rank's requests change.
  const Request* find(std::int32_t rank, std::uint32_t serial) { return of(rank).find(serial); }
  void erase(std::int32_t rank, std::uint32_t serial) { of(rank).erase(serial); }
  /// Removes all of the rank's requests and returns them.
  std::vector<Request> take_all(std::int32_t rank);

  bool is_over(const Request& request) const;
  /// The context goes on when all requests are over, and their receive overheads paid.
  void wait_for(ExecutionContext& context, std::span<const Request> requests);
  void wait_for(ExecutionContext& context, const Request& request) {
    wait_for(context, {&request, 1});
  }
  /// The context goes on when the first of these is over, none of which is completed. Cost:
  /// O(requests).
  void wait_for_first(ExecutionContext& context, std::span<const Request> requests);
  /// The same for all requests in the context's list `outstanding`, which is empty afterwards.
  void wait_for_outstanding(ExecutionContext& context);
  /// A request that the context waits for is over; its message left at `message_left` seconds.
  void request_over(ExecutionContext& context, const Request& request, double message_left);

 private:
  struct SerialHash {
    std::uint64_t operator()(std::uint32_t serial) const { return mix_bits(serial); }
  };
  using Table = FlatMap<std::uint32_t, Request, SerialHash>;

  Table& of(std::int32_t rank) { return by_rank_[static_cast<std::size_t>(rank)]; }
  void set_waiter(const Request& request, ContextId waiter);
  void first_is_over(ExecutionContext& context, double message_left);
  void complete(ExecutionContext& context, const Request& request, double message_left);
  void pay_receive_overhead(ExecutionContext& context, const Transfer& transfer);
  void all_over(ExecutionContext& context);

  ContextScheduler& contexts_;
  Matching& matching_;
  Overheads& overheads_;
  TimeAccounting& accounting_;
  ContextOrder* const order_;
  std::vector<Table> by_rank_;
  std::uint64_t waits_ = 0;
  std::vector<Request> waited_;  // scratch
};

}  // namespace slackline::sim
