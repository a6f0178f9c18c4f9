#include "property/planted_problems.h"

#include <array>
#include <cmath>
#include <functional>
#include <random>

#include "trace/trace_builder.h"

namespace slackline::testing {
namespace {

/// Writes an untimed program of iterations.
class Program {
 public:
  explicit Program(std::uint64_t seed)
      : random_(seed),
        ranks_(static_cast<std::int32_t>(4 + random_() % 30)),
        iterations_(20 + random_() % 41),
        trace_(ranks_, false),
        now_(static_cast<std::size_t>(ranks_)) {
    each([&](std::int32_t r) { call(r, {.operation = Operation::init}); });
  }

  std::int32_t ranks() const { return ranks_; }
  std::size_t iterations() const { return iterations_; }
  std::int32_t any_rank() { return static_cast<std::int32_t>(random_() % std::uint64_t(ranks_)); }
  /// Uniform in [from, to).
  double uniform(double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random_);
  }

  void each(const std::function<void(std::int32_t)>& visit) {
    for (std::int32_t r = 0; r < ranks_; ++r) visit(r);
  }
  /// A visit to a region, with a noise of 1 %.
  void compute(std::int32_t rank, std::string_view region, double ns) {
    RankCallsBuilder& calls = trace_.calls(rank);
    const std::uint32_t id = trace_.region_id(region);
    const auto next = static_cast<std::uint32_t>(calls.size());
    std::int64_t& now = now_[static_cast<std::size_t>(rank)];
    calls.append_region({now, id, next, true});
    now += std::llround(ns * (1 + 0.01 * std::normal_distribution<double>()(random_)));
    calls.append_region({now, id, next, false});
  }
  void compute_all(std::string_view region, double ns) {
    each([&](std::int32_t r) { compute(r, region, ns); });
  }
  void call(std::int32_t rank, Call call) {
    call.begin_ns = call.end_ns = now_[static_cast<std::size_t>(rank)];
    trace_.calls(rank).append(call);
  }
  void send(std::int32_t from, std::int32_t to, std::uint64_t bytes) {
    call(from, {.operation = Operation::send, .bytes = bytes, .peer = to, .tag = 1});
  }
  void receive(std::int32_t at, std::int32_t from, std::uint64_t bytes) {
    call(at, {.operation = Operation::recv, .bytes = bytes, .peer = from, .tag = 1});
  }
  void collective(Operation operation, std::uint64_t bytes) {
    const bool rooted = operation == Operation::bcast || operation == Operation::gather;
    each([&](std::int32_t r) {
      call(r, {.operation = operation, .bytes = bytes, .peer = rooted ? 0 : kPeerNone, .tag = 8});
    });
  }
  Trace finish() {
    each([&](std::int32_t r) { call(r, {.operation = Operation::finalize}); });
    return std::move(trace_).build();
  }

 private:
  std::mt19937_64 random_;
  std::int32_t ranks_;
  std::size_t iterations_;
  TraceBuilder trace_;
  std::vector<std::int64_t> now_;
};

constexpr double kStep_ns = 200'000;

void repeat(Program& p, const std::function<void(std::size_t)>& iteration) {
  for (std::size_t k = 0; k < p.iterations(); ++k) iteration(k);
}

/// One rank has more work in one of two regions.
PlantedProblem imbalance(Program p) {
  const std::int32_t late = p.any_rank();
  const double factor = p.uniform(1.5, 2.5);
  repeat(p, [&](std::size_t) {
    p.compute_all("assemble", kStep_ns);
    p.each([&](std::int32_t r) { p.compute(r, "solve", kStep_ns * (r == late ? factor : 1)); });
    p.collective(Operation::allreduce, 8);
  });
  return {p.finish(), {}, {"imbalance"}, "solve", late};
}

/// The work of a region grows with the rank.
PlantedProblem ramp(Program p) {
  const double most = p.uniform(1.6, 3);
  repeat(p, [&](std::size_t) {
    p.each([&](std::int32_t r) {
      p.compute(r, "particles", kStep_ns * (1 + (most - 1) * r / (p.ranks() - 1)));
    });
    p.compute_all("fields", kStep_ns);
    p.collective(Operation::allreduce, 64);
  });
  return {p.finish(), {}, {"imbalance"}, "particles", p.ranks() - 1};
}

/// Each visit takes longest on another rank; over the run all have the same.
PlantedProblem variation(Program p) {
  const double factor = p.uniform(1.8, 3);
  repeat(p, [&](std::size_t k) {
    p.compute_all("setup", kStep_ns / 2);
    p.each([&](std::int32_t r) {
      const bool now = static_cast<std::size_t>(r) == k % static_cast<std::size_t>(p.ranks());
      p.compute(r, "sweep", kStep_ns * (now ? factor : 1));
    });
    p.collective(Operation::allreduce, 8);
  });
  return {p.finish(), {}, {"variation", "outliers"}, "sweep"};
}

/// A slow processor: everything takes longer there.
PlantedProblem slow_rank(Program p) {
  const std::int32_t slow = p.any_rank();
  const double factor = p.uniform(1.3, 1.8);
  repeat(p, [&](std::size_t) {
    for (const std::string_view region : {"assemble", "solve", "update"}) {
      p.each([&](std::int32_t r) { p.compute(r, region, kStep_ns * (r == slow ? factor : 1)); });
    }
    p.collective(Operation::allreduce, 8);
  });
  return {p.finish(), {}, {"slow_ranks"}, "", slow};
}

/// One rank does something while all others wait.
PlantedProblem serial(Program p) {
  const double share = p.uniform(0.4, 1);
  repeat(p, [&](std::size_t) {
    p.compute_all("solve", kStep_ns);
    p.collective(Operation::gather, 64);
    p.compute(0, "output", share * kStep_ns);
    p.collective(Operation::bcast, 64);
  });
  return {p.finish(), {}, {"serial"}, "output", 0};
}

/// In every twelfth iteration any rank is interrupted.
PlantedProblem outliers(Program p) {
  const double length = p.uniform(5, 9);
  repeat(p, [&](std::size_t k) {
    const std::int32_t interrupted = k % 12 == 5 ? p.any_rank() : -1;
    p.each([&](std::int32_t r) {
      p.compute(r, "kernel", kStep_ns * (r == interrupted ? length : 1));
    });
    p.collective(Operation::allreduce, 8);
  });
  return {p.finish(), {}, {"outliers"}, "kernel"};
}

/// A chain of messages without content through all ranks.
PlantedProblem empty_messages(Program p) {
  repeat(p, [&](std::size_t) {
    p.compute_all("solve", 20'000);
    for (std::int32_t r = 0; r + 1 < p.ranks(); ++r) {
      for (int i = 0; i < 4; ++i) p.send(r, r + 1, 0);
      for (int i = 0; i < 4; ++i) p.receive(r + 1, r, 0);
    }
    p.collective(Operation::allreduce, 8);
  });
  return {p.finish(), {}, {"empty_messages"}, ""};
}

/// Barriers between tiny pieces of balanced computation.
PlantedProblem barriers(Program p) {
  repeat(p, [&](std::size_t) {
    for (int i = 0; i < 6; ++i) {
      p.compute_all("update", 4'000);
      p.collective(Operation::barrier, 0);
    }
    p.collective(Operation::allreduce, 8);
  });
  return {p.finish(), {}, {"barriers"}, "MPI_Barrier"};
}

/// Every second rank sends before it computes to a neighbour that receives after that.
PlantedProblem rendezvous(Program p) {
  repeat(p, [&](std::size_t) {
    for (std::int32_t r = 0; r + 1 < p.ranks(); r += 2) {
      p.send(r, r + 1, 2 << 20);
      p.compute(r, "solve", kStep_ns);
      p.compute(r + 1, "solve", kStep_ns);
      p.receive(r + 1, r, 2 << 20);
    }
    if (p.ranks() % 2 == 1) p.compute(p.ranks() - 1, "solve", kStep_ns);
    p.collective(Operation::allreduce, 8);
  });
  return {p.finish(), {}, {"rendezvous"}, ""};
}

/// An algorithm with 2 (P - 1) steps in sequence where there are some with log2 P.
PlantedProblem collective_algorithm(Program p) {
  repeat(p, [&](std::size_t) {
    p.compute_all("solve", 30'000);
    p.collective(Operation::allreduce, 512);
  });
  PlantedProblem planted{p.finish(), {}, {"collective_algorithm"}, "MPI_Allreduce"};
  planted.options.collectives.add("allreduce=ring");
  return planted;
}

/// Short messages there and back, with hardly anything between.
PlantedProblem latency(Program p) {
  repeat(p, [&](std::size_t) {
    for (std::int32_t r = 0; r + 1 < p.ranks(); r += 2) {
      for (int i = 0; i < 10; ++i) {
        p.send(r, r + 1, 8);
        p.receive(r + 1, r, 8);
        p.send(r + 1, r, 8);
        p.receive(r, r + 1, 8);
      }
    }
    p.compute_all("solve", 10'000);
  });
  return {p.finish(), {}, {"latency"}, "network"};
}

/// Long messages.
PlantedProblem volume(Program p) {
  repeat(p, [&](std::size_t) {
    p.compute_all("solve", 50'000);
    for (std::int32_t r = 0; r < p.ranks(); ++r) p.send(r, (r + 1) % p.ranks(), 8 << 20);
    for (std::int32_t r = 0; r < p.ranks(); ++r) {
      p.receive(r, (r + p.ranks() - 1) % p.ranks(), 8 << 20);
    }
  });
  PlantedProblem planted{p.finish(), {}, {"message_volume", "bandwidth"}, ""};
  planted.options.eager_threshold_bytes = 64 << 20;
  return planted;
}

/// Balanced computation, most of it in one function.
PlantedProblem hot_function(Program p) {
  repeat(p, [&](std::size_t) {
    p.compute_all("setup", kStep_ns / 10);
    p.compute_all("kernel", kStep_ns * 5);
    p.collective(Operation::allreduce, 8);
  });
  return {p.finish(), {}, {"computation"}, "kernel"};
}

}  // namespace

PlantedProblem planted_problem(std::uint64_t seed) {
  constexpr std::array<PlantedProblem (*)(Program), kPlantedKinds> kKinds{
      imbalance, ramp,           variation,   slow_rank,  serial,
      outliers,  empty_messages, barriers,    rendezvous, collective_algorithm,
      latency,   volume,         hot_function};
  return kKinds[seed % kPlantedKinds](Program(seed));
}

}  // namespace slackline::testing
