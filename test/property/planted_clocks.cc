#include "property/planted_clocks.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>

#include "trace/trace_builder.h"

namespace slackline::testing {
namespace {

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  PlantedClocks run(double most_drift) {
    const auto ranks = static_cast<std::int32_t>(2 + draw(6));
    TraceBuilder truth(ranks, true);
    now_.resize(static_cast<std::size_t>(ranks));
    for (std::int64_t& t : now_) t = 1000 + draw(50'000);
    const std::int64_t steps = 30 + draw(200);
    for (std::int64_t i = 0; i < steps; ++i) step(truth);
    TraceBuilder measured = truth;
    PlantedClocks planted{{1, true}, {1, true}, {}, {}};
    const bool shared = draw(3) == 0;  // two ranks a host
    for (std::int32_t r = 0; r < ranks; ++r) {
      const auto clock = static_cast<std::size_t>(shared ? r / 2 : r);
      if (clock == planted_.size()) {
        planted_.emplace_back(draw(2) == 0 ? 0 : draw(200'000'000) - 100'000'000,
                              most_drift * (static_cast<double>(draw(2001)) / 1000 - 1));
      }
      const auto [offset, drift] = planted_[clock];
      planted.offsets.push_back(offset);
      planted.drifts.push_back(drift);
      for (TraceBuilder* t : {&truth, &measured}) {
        if (shared) t->rank_info(r).host = "n" + std::to_string(clock);
      }
      measured.calls(r).map_times([o = offset, d = drift](std::int64_t t) {
        return t + o + std::llround(d * static_cast<double>(t));
      });
    }
    planted.truth = std::move(truth).build();
    planted.measured = std::move(measured).build();
    return planted;
  }

 private:
  std::int64_t draw(std::int64_t below) {
    return std::uniform_int_distribution<std::int64_t>(0, below - 1)(random_);
  }
  std::int64_t& now(std::int32_t rank) { return now_[static_cast<std::size_t>(rank)]; }

  void add(TraceBuilder& trace, std::int32_t rank, Call call, std::int64_t end) {
    call.begin_ns = now(rank);
    call.end_ns = std::max(end, call.begin_ns + 100);
    trace.calls(rank).append(call);
    now(rank) = call.end_ns + 100 + draw(30'000);
  }

  void step(TraceBuilder& trace) {
    for (std::int64_t& t : now_) t += draw(20'000);
    const std::int64_t kind = draw(8);
    if (kind == 0) return together(trace, Operation::barrier);
    if (kind == 1) return together(trace, Operation::bcast);
    const auto from = static_cast<std::int32_t>(draw(trace.ranks()));
    const auto to = static_cast<std::int32_t>(draw(trace.ranks()));
    if (from == to) return;
    const std::int64_t arrives = now(from) + 500 + draw(3000);
    add(trace, from, {.operation = Operation::send, .bytes = 8, .peer = to}, 0);
    add(trace, to, {.operation = Operation::recv, .bytes = 8, .peer = from}, arrives);
  }

  void together(TraceBuilder& trace, Operation operation) {
    const auto root = static_cast<std::int32_t>(draw(trace.ranks()));
    const std::int64_t last =
        operation == Operation::barrier ? *std::ranges::max_element(now_) : now(root);
    const std::int32_t peer = operation == Operation::bcast ? root : kPeerNone;
    for (std::int32_t r = 0; r < trace.ranks(); ++r) {
      add(trace, r, {.operation = operation, .bytes = 8, .peer = peer}, last + 300 + draw(2000));
    }
  }

  std::mt19937_64 random_;
  std::vector<std::int64_t> now_;
  std::vector<std::pair<std::int64_t, double>> planted_;
};

}  // namespace

PlantedClocks plant_clocks(std::uint64_t seed, double most_drift) {
  return Generator(seed).run(most_drift);
}

}  // namespace slackline::testing
