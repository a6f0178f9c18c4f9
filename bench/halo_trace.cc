#include "halo_trace.h"

#include <cmath>
#include <random>
#include <utility>
#include <vector>

namespace slackline {
namespace {

constexpr int kRanks = 27;
constexpr int kNeighbours = 26;
constexpr int kExchanges = 3;

class Generator {
 public:
  explicit Generator(int steps) : trace_(kRanks, true) {
    for (int rank = 0; rank < kRanks; ++rank) {
      now_ = 0;
      request_ = 0;
      random_.seed(static_cast<unsigned>(rank));
      for (int step = 0; step < steps; ++step) add_step(rank);
    }
  }
  Trace take() { return std::move(trace_); }

 private:
  // About log-normal around `median`, as measured durations are.
  std::int64_t spread(double median, double sigma) {
    return static_cast<std::int64_t>(median * std::exp(sigma * normal_(random_)));
  }

  void add(int rank, Call call, double gap, double duration) {
    now_ += spread(gap, 0.35);
    call.begin_ns = now_;
    now_ += spread(duration, 0.35);
    call.end_ns = now_;
    trace_.calls(rank).append(call);
  }

  void add_step(int rank) {
    for (int exchange = 0; exchange < kExchanges; ++exchange) add_exchange(rank, exchange);
    add(rank, {.operation = Operation::allreduce, .bytes = 8, .tag = 8}, 400'000, 9'000);
  }

  void add_exchange(int rank, int exchange) {
    const std::uint32_t first = request_ + 1;
    std::vector<std::int64_t> sends;
    for (const bool sending : {false, true}) {
      for (int n = 0; n < kNeighbours; ++n) {
        const bool face = n < 6;
        const bool edge = n < 18;
        const std::uint64_t bytes = face ? 21'600 : edge ? 720 : 24;
        add(rank,
            {.operation = sending ? Operation::isend : Operation::irecv,
             .bytes = bytes * static_cast<std::uint64_t>(exchange + 1),
             .peer = (rank + 1 + n) % kRanks,
             .tag = 1024 * (exchange + 1),
             .request = ++request_},
            n == 0 ? 150'000 : 90, sending ? 600 : 110);
        if (sending) sends.push_back(request_);
      }
    }
    Call all{.operation = Operation::waitall};
    all.args = sends;
    add(rank, all, 200, 5'000);
    for (std::uint32_t n = 0; n < kNeighbours; ++n) {
      add(rank, {.operation = Operation::wait, .request = first + n}, n < 6 ? 4'000 : 60, 70);
    }
  }

  Trace trace_;
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  std::int64_t now_ = 0;
  std::uint32_t request_ = 0;
};

}  // namespace

Trace make_halo_trace(int steps) {
  return Generator(steps).take();
}

}  // namespace slackline
