#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "trace/trace_builder.h"

namespace slackline::testing {

// Traces that a real MPI program could have left: messages have two ends, requests are completed,
// collectives are called by all members, and nothing is received before it was sent. For formats
// that hold such traces only.

class PlausibleTrace {
 public:
  /// To be called inside rc::check.
  static Trace make() { return std::move(PlausibleTrace().trace_).build(); }

 private:
  PlausibleTrace() : trace_(*rc::gen::inRange(1, 5), true) {
    trace_.region_id("solve");
    trace_.region_id("write a file");
    if (trace_.ranks() > 2) trace_.add_communicator({{2, 0}, {}, {}});
    trace_.add_communicator({trace_.communicators()[kCommWorld].members, {}, {}});
    requests_.resize(ranks(), 0);
    for (std::size_t r = 0; r < ranks(); ++r) {
      trace_.calls(rank(r)).set_start_ns(*rc::gen::element<std::int64_t>(0, 5));
      trace_.rank_info(rank(r)).host = r % 2 == 0 ? "n0" : "n1";
      add(r, {.operation = Operation::init}, 10, 5);
    }
    const int phases = *rc::gen::inRange(0, 12);
    for (int i = 0; i < phases; ++i) phase(*rc::gen::inRange(0, 9));
    now_ += kPhase_ns;
    for (std::size_t r = 0; r < ranks(); ++r) {
      add(r, {.operation = Operation::finalize}, 1, 5);
      trace_.calls(rank(r)).set_stop_ns(now_ + *rc::gen::element<std::int64_t>(6, 50));
    }
  }

  static constexpr std::int64_t kPhase_ns = 1000;

  std::size_t ranks() const { return static_cast<std::size_t>(trace_.ranks()); }
  static std::int32_t rank(std::size_t r) { return static_cast<std::int32_t>(r); }

  void add(std::size_t r, Call call, std::int64_t after, std::int64_t lasts,
           std::vector<std::int64_t> args = {}) {
    call.begin_ns = now_ + after;
    call.end_ns = call.begin_ns + lasts;
    call.args = args;
    trace_.calls(rank(r)).append(call);
  }
  std::uint32_t request(std::size_t r) { return ++requests_[r]; }

  void phase(int kind) {
    now_ += kPhase_ns + *rc::gen::element<std::int64_t>(0, 1, 777);
    const std::int64_t wait_ns = *rc::gen::element<std::int64_t>(0, 40);
    switch (kind) {
      case 0:
        return fan_out(wait_ns);
      case 1:
        return exchange(wait_ns);
      case 2:
        return separate_waits(wait_ns);
      case 3:
        return shift(wait_ns);
      case 4:
      case 5:
        return collective();
      case 6:
        return nonblocking_collective();
      case 7:
        return region();
      default:
        return others();
    }
  }

  // Rank 0 sends to everybody, by turns.
  void fan_out(std::int64_t wait_ns) {
    const auto bytes = *rc::gen::element<std::uint64_t>(0, 8, 70'000);
    for (std::size_t r = 1; r < ranks(); ++r) {
      const auto at = static_cast<std::int64_t>(10 * r);
      add(0, {.operation = Operation::send, .bytes = bytes, .peer = rank(r), .tag = 3}, at, 4);
      add(r, {.operation = Operation::recv, .bytes = bytes, .peer = 0, .tag = 3}, at - wait_ns / 4,
          wait_ns + 30);
    }
  }

  void exchange(std::int64_t wait_ns) {
    const auto n = trace_.ranks();
    for (std::size_t r = 0; r < ranks(); ++r) {
      const std::uint32_t in = request(r);
      const std::uint32_t out = request(r);
      add(r,
          {.operation = Operation::irecv,
           .bytes = 64,
           .peer = (rank(r) + n - 1) % n,
           .tag = 7,
           .request = in},
          10, 1);
      add(r,
          {.operation = Operation::isend,
           .bytes = 64,
           .peer = (rank(r) + 1) % n,
           .tag = 7,
           .request = out},
          15, 0);
      add(r, {.operation = Operation::waitall}, 20, wait_ns, {in, out});
    }
  }

  // Receives that are completed one by one, against the order in which they were posted.
  void separate_waits(std::int64_t wait_ns) {
    if (ranks() < 2) return;
    const std::uint32_t first = request(1);
    const std::uint32_t second = request(1);
    add(1, {.operation = Operation::irecv, .bytes = 1, .peer = 0, .tag = 1, .request = first}, 5,
        2);
    add(1, {.operation = Operation::irecv, .bytes = 2, .peer = 0, .tag = 2, .request = second}, 7,
        2);
    const std::uint32_t out = request(0);
    add(0, {.operation = Operation::isend, .bytes = 1, .peer = 1, .tag = 1, .request = out}, 10, 1);
    add(0, {.operation = Operation::send, .bytes = 2, .peer = 1, .tag = 2}, 12, 1);
    add(0, {.operation = Operation::wait, .request = out}, 14, 1);
    add(1, {.operation = Operation::wait, .request = second}, 20, wait_ns + 1);
    add(1, {.operation = Operation::wait, .request = first}, 21 + wait_ns, 3);
  }

  void shift(std::int64_t wait_ns) {
    const auto n = trace_.ranks();
    for (std::size_t r = 0; r < ranks(); ++r) {
      // The last has no neighbour above, the first none below.
      const bool last = r + 1 == ranks();
      Call call{.operation = Operation::sendrecv,
                .bytes = last ? 0u : 16u,
                .peer = last ? kPeerNull : rank(r) + 1,
                .tag = last ? 0 : 9};
      const bool first = r == 0;
      add(r, call, 10, 20 + wait_ns,
          {first ? kPeerNull : (rank(r) + n - 1) % n, first ? 0 : 9, first ? 0 : 16, 0});
    }
  }

  void collective() {
    using enum Operation;
    Call call;
    call.operation = *rc::gen::element(barrier, bcast, reduce, allreduce, gather, scatter,
                                       allgather, alltoall, reduce_scatter_block, scan, exscan);
    call.comm = static_cast<std::uint32_t>(
        *rc::gen::inRange<std::size_t>(0, trace_.communicators().size()));
    call.bytes = call.operation == barrier ? 0 : *rc::gen::element<std::uint64_t>(0, 8, 4096);
    const auto& members = trace_.communicators()[call.comm].members;
    const std::size_t root =
        *rc::gen::inRange<std::size_t>(0, std::max<std::size_t>(1, members.size()));
    for (std::size_t r = 0; r < ranks(); ++r) {
      const bool in =
          call.comm == kCommSelf || std::ranges::find(members, rank(r)) != members.end();
      if (!in) continue;
      if (rooted(call.operation)) call.peer = call.comm == kCommSelf ? rank(r) : members[root];
      add(r, call, 10, 50);
    }
  }
  static bool rooted(Operation operation) {
    using enum Operation;
    return operation == bcast || operation == reduce || operation == gather || operation == scatter;
  }

  void nonblocking_collective() {
    for (std::size_t r = 0; r < ranks(); ++r) {
      const std::uint32_t started = request(r);
      add(r, {.operation = Operation::iallreduce, .bytes = 8, .request = started}, 10, 2);
      add(r, {.operation = Operation::wait, .request = started}, 30, 8);
    }
  }

  void region() {
    for (std::size_t r = 0; r < ranks(); ++r) {
      RankCallsBuilder& calls = trace_.calls(rank(r));
      const auto before = static_cast<std::uint32_t>(calls.size());
      const auto which = static_cast<std::uint32_t>(*rc::gen::inRange(0, 2));
      calls.append_region({now_ + 10, which, before, true});
      calls.append_pause({now_ + 20, now_ + 30, before});
      calls.append_region({now_ + 40, which, before, false});
    }
  }

  void others() {
    for (std::size_t r = 0; r < ranks(); ++r) {
      add(r, {.operation = Operation::comm_dup}, 10, 20);
      add(r, {.operation = Operation::file_write_at_all}, 40, 2);
      add(r, {.operation = Operation::win_lock_all}, 50, 0);
    }
  }

  TraceBuilder trace_;
  std::vector<std::uint32_t> requests_;  // last serial of each rank
  std::int64_t now_ = 0;
};

}  // namespace slackline::testing
