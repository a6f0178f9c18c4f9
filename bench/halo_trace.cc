#include "halo_trace.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "trace/trace_builder.h"

namespace slackline {
namespace {

constexpr int kRanks = 27;
constexpr int kNeighbours = 26;
constexpr int kExchanges = 3;
constexpr int kSyncPoints = kExchanges + 1;  // of a step: all have sent, or are at the reduction
constexpr int kCallsOfExchange = 2 * kNeighbours + 1 + kNeighbours;
constexpr int kCallsOfStep = kExchanges * kCallsOfExchange + 1;

// One rank of the program. A step falls into parts before and after each synchronisation point,
// which depend on other ranks by the dates of these alone.
class HaloRank {
 public:
  HaloRank(int rank, int ranks) : rank_(rank), ranks_(ranks) {
    random_.seed(static_cast<unsigned>(rank));
  }
  std::int64_t now() const { return now_; }

  template <class Visit>
  void run_to_sync_point(int point, Visit visit) {
    if (point < kExchanges) {
      post(point, visit);
    } else {
      now_ += spread(400'000);
    }
  }

  template <class Visit>
  void leave_sync_point(int point, std::int64_t all_here, Visit visit) {
    if (point < kExchanges) {
      complete(all_here, visit);
    } else {
      add({.operation = Operation::allreduce, .bytes = 8, .tag = 8}, 0, 9'000, all_here, visit);
    }
  }

 private:
  // About log-normal around `median`, as measured durations are.
  std::int64_t spread(double median) {
    constexpr double kSigma = 0.35;
    return static_cast<std::int64_t>(median * std::exp(kSigma * normal_(random_)));
  }

  // `not_before`: the call does not end before that.
  template <class Visit>
  void add(Call call, double gap, double duration, std::int64_t not_before, Visit visit) {
    call.begin_ns = now_ + spread(gap);
    call.end_ns = std::max(not_before, call.begin_ns) + spread(duration);
    now_ = call.end_ns;
    visit(call);
  }

  template <class Visit>
  void post(int exchange, Visit visit) {
    std::array<std::int64_t, kNeighbours> sends{};
    for (const bool sending : {false, true}) {
      for (int n = 0; n < kNeighbours; ++n) {
        const bool face = n < 6;
        const bool edge = n < 18;
        const std::uint64_t bytes = face ? 21'600 : edge ? 720 : 24;
        const std::uint32_t request = ++request_;
        // What one rank sends to its n-th neighbour, that one receives from its n-th before it.
        const int peer = sending ? rank_ + 1 + n : rank_ + ranks_ - 1 - n;
        add({.operation = sending ? Operation::isend : Operation::irecv,
             .bytes = bytes * static_cast<std::uint64_t>(exchange + 1),
             .peer = peer % ranks_,
             .tag = 1024 * (exchange + 1),
             .request = request},
            n == 0 ? 150'000 : 90, sending ? 600 : 110, 0, visit);
        if (sending) sends[static_cast<std::size_t>(n)] = request;
      }
    }
    add({.operation = Operation::waitall, .args = sends}, 200, 5'000, 0, visit);
  }

  template <class Visit>
  void complete(std::int64_t all_sent, Visit visit) {
    const std::uint32_t first = request_ + 1 - 2 * std::uint32_t{kNeighbours};
    for (std::uint32_t n = 0; n < kNeighbours; ++n) {
      add({.operation = Operation::wait, .request = first + n}, n < 6 ? 4'000 : 60, 70, all_sent,
          visit);
    }
  }

  int rank_;
  int ranks_;
  std::mt19937 random_{};
  std::normal_distribution<double> normal_{};
  std::int64_t now_ = 0;
  std::uint32_t request_ = 0;
};

}  // namespace

HaloRun::HaloRun(int ranks, int steps) : ranks_(ranks), steps_(steps) {
  std::vector<HaloRank> all;
  for (int rank = 0; rank < ranks; ++rank) all.emplace_back(rank, ranks);
  const auto ignore = [](const Call&) {};
  for (int step = 0; step < steps; ++step) {
    for (int point = 0; point < kSyncPoints; ++point) {
      for (HaloRank& rank : all) rank.run_to_sync_point(point, ignore);
      sync_points_ns_.push_back(std::ranges::max_element(all, {}, &HaloRank::now)->now());
      for (HaloRank& rank : all) rank.leave_sync_point(point, sync_points_ns_.back(), ignore);
    }
  }
}

std::uint64_t HaloRun::calls_of_rank() const {
  return std::uint64_t{kCallsOfStep} * static_cast<std::uint64_t>(steps_);
}

void HaloRun::for_each_call(int rank, const std::function<void(const Call&)>& visit) const {
  HaloRank program(rank, ranks_);
  auto point_ns = sync_points_ns_.begin();
  for (int step = 0; step < steps_; ++step) {
    for (int point = 0; point < kSyncPoints; ++point) {
      program.run_to_sync_point(point, std::cref(visit));
      program.leave_sync_point(point, *point_ns++, std::cref(visit));
    }
  }
}

Trace make_halo_trace(int steps) {
  TraceBuilder trace(kRanks, true);
  const HaloRun run(kRanks, steps);
  for (int rank = 0; rank < kRanks; ++rank) {
    RankCallsBuilder& calls = trace.calls(rank);
    run.for_each_call(rank, [&](const Call& call) { calls.append(call); });
  }
  return std::move(trace).build();
}

}  // namespace slackline
