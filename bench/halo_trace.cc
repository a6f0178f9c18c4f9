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

class Generator {
 public:
  explicit Generator(int steps) : trace_(kRanks, true) {
    for (unsigned rank = 0; rank < kRanks; ++rank) states_[rank].random.seed(rank);
    for (int step = 0; step < steps; ++step) {
      for (int exchange = 0; exchange < kExchanges; ++exchange) add_exchange(exchange);
      add_allreduce();
    }
  }
  Trace take() { return std::move(trace_).build(); }

 private:
  struct RankState {
    std::mt19937 random{};
    std::normal_distribution<double> normal{};
    std::int64_t now = 0;
    std::uint32_t request = 0;
  };

  // About log-normal around `median`, as measured durations are.
  static std::int64_t spread(RankState& state, double median) {
    constexpr double kSigma = 0.35;
    return static_cast<std::int64_t>(median * std::exp(kSigma * state.normal(state.random)));
  }

  // `not_before`: the call does not end before that.
  void add(int rank, Call call, double gap, double duration, std::int64_t not_before = 0) {
    RankState& state = states_[static_cast<std::size_t>(rank)];
    call.begin_ns = state.now + spread(state, gap);
    call.end_ns = std::max(not_before, call.begin_ns) + spread(state, duration);
    state.now = call.end_ns;
    trace_.calls(rank).append(call);
  }

  // When the last rank gets here.
  std::int64_t latest() const {
    return std::ranges::max_element(states_, {}, &RankState::now)->now;
  }

  void add_allreduce() {
    for (RankState& state : states_) state.now += spread(state, 400'000);
    const std::int64_t all_here = latest();
    for (int rank = 0; rank < kRanks; ++rank) {
      add(rank, {.operation = Operation::allreduce, .bytes = 8, .tag = 8}, 0, 9'000, all_here);
    }
  }

  void add_exchange(int exchange) {
    for (int rank = 0; rank < kRanks; ++rank) post(rank, exchange);
    const std::int64_t all_sent = latest();
    for (int rank = 0; rank < kRanks; ++rank) complete(rank, all_sent);
  }

  void post(int rank, int exchange) {
    std::vector<std::int64_t> sends;
    for (const bool sending : {false, true}) {
      for (int n = 0; n < kNeighbours; ++n) {
        const bool face = n < 6;
        const bool edge = n < 18;
        const std::uint64_t bytes = face ? 21'600 : edge ? 720 : 24;
        const std::uint32_t request = ++states_[static_cast<std::size_t>(rank)].request;
        // What one rank sends to its n-th neighbour, that one receives from its n-th before it.
        const int peer = sending ? rank + 1 + n : rank + kRanks - 1 - n;
        add(rank,
            {.operation = sending ? Operation::isend : Operation::irecv,
             .bytes = bytes * static_cast<std::uint64_t>(exchange + 1),
             .peer = peer % kRanks,
             .tag = 1024 * (exchange + 1),
             .request = request},
            n == 0 ? 150'000 : 90, sending ? 600 : 110);
        if (sending) sends.push_back(request);
      }
    }
    Call all{.operation = Operation::waitall};
    all.args = sends;
    add(rank, all, 200, 5'000);
  }

  void complete(int rank, std::int64_t all_sent) {
    const std::uint32_t first =
        states_[static_cast<std::size_t>(rank)].request + 1 - 2 * std::uint32_t{kNeighbours};
    for (std::uint32_t n = 0; n < kNeighbours; ++n) {
      add(rank, {.operation = Operation::wait, .request = first + n}, n < 6 ? 4'000 : 60, 70,
          all_sent);
    }
  }

  TraceBuilder trace_;
  std::array<RankState, kRanks> states_{};
};

}  // namespace

Trace make_halo_trace(int steps) {
  return Generator(steps).take();
}

Trace make_halo_trace(int steps, std::uint32_t functions) {
  TraceBuilder trace = make_halo_trace(steps);
  for (std::uint32_t f = 0; f < functions; ++f) {
    trace.region_id("function_" + std::to_string(f));
  }
  constexpr std::int64_t kLongGapNs = 1000;
  for (int rank = 0; rank < trace.ranks(); ++rank) {
    RankCallsBuilder& calls = trace.calls(rank);
    std::vector<RegionEvent> events;
    std::uint32_t stretches = 0;
    for (std::uint32_t i = 0; i < calls.size(); ++i) {
      if (calls.gap_ns(i) < kLongGapNs) continue;
      const std::int64_t start = calls.begin_ns(i) - calls.gap_ns(i);
      if (!events.empty()) events.push_back({start, events.back().region, i, false});
      events.push_back({start, ++stretches * 7 % functions, i, true});
    }
    calls.set_regions(std::move(events));
  }
  return std::move(trace).build();
}

}  // namespace slackline
