#include "irregular_trace.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "trace/trace_builder.h"

namespace slackline {
namespace {

constexpr int kSide = 8;
constexpr int kGridRanks = kSide * kSide;
constexpr int kStepsBetweenGlobal = 10;
constexpr std::int64_t kLatencyNs = 1'500;
constexpr double kNsPerByte = 0.08;

enum RegionName : std::uint32_t {
  main_program,
  time_step,
  exchange_halo,
  interior_forces,
  boundary_forces,
  shift_particles,
  collect_results,
  update_state
};
constexpr std::array<const char*, 8> kRegionNames{"main",
                                                  "time_step",
                                                  "exchange_halo",
                                                  "interior_forces",
                                                  "boundary_forces",
                                                  "shift_particles",
                                                  "collect_results",
                                                  "update_state"};

struct RankState {
  std::mt19937 random{};
  std::normal_distribution<double> normal{};
  double speed = 1;  // how long its work takes, against the others
  std::int64_t now = 0;
  std::uint32_t request = 0;
  std::vector<RegionEvent> regions{};
};

int wrap(int i) {
  return (i + kSide) % kSide;
}

int rank_at(int row, int column) {
  return wrap(row) * kSide + wrap(column);
}

class IrregularProgram {
 public:
  explicit IrregularProgram(int steps) : trace_(kGridRanks, true) {
    for (const char* name : kRegionNames) trace_.region_id(name);
    for (int i = 0; i < kSide; ++i) {
      std::vector<std::int32_t> row;
      std::vector<std::int32_t> column;
      for (int k = 0; k < kSide; ++k) {
        row.push_back(rank_at(i, k));
        column.push_back(rank_at(k, i));
      }
      rows_.push_back(trace_.add_communicator({row, {}, "row " + std::to_string(i)}));
      columns_.push_back(trace_.add_communicator({column, {}, "column " + std::to_string(i)}));
    }
    for (int rank = 0; rank < kGridRanks; ++rank) {
      RankState& s = state(rank);
      s.random.seed(static_cast<unsigned>(rank) + 1);
      s.speed = std::exp(0.1 * s.normal(s.random));
      enter(rank, main_program);
    }
    for (int step = 0; step < steps; ++step) add_step(step);
    for (int rank = 0; rank < kGridRanks; ++rank) {
      leave(rank, main_program);
      trace_.calls(rank).set_regions(std::move(state(rank).regions));
    }
  }
  Trace take() { return std::move(trace_).build(); }

 private:
  RankState& state(int rank) { return states_[static_cast<std::size_t>(rank)]; }

  void enter(int rank, RegionName region) { mark(rank, region, true); }
  void leave(int rank, RegionName region) { mark(rank, region, false); }
  void mark(int rank, RegionName region, bool entered) {
    RankState& s = state(rank);
    s.now += 40;
    s.regions.push_back(
        {s.now, region, static_cast<std::uint32_t>(trace_.calls(rank).size()), entered});
  }

  // Log-normal, and one in fifty of a Pareto distribution: what takes long takes very long.
  void compute(int rank, double median_ns) {
    constexpr double kSigma = 0.25;
    constexpr double kTailShare = 0.02;
    constexpr double kTailIndex = 1.5;
    constexpr double kMost = 40;
    RankState& s = state(rank);
    double factor = std::exp(kSigma * s.normal(s.random));
    std::uniform_real_distribution<double> uniform(0, 1);
    if (uniform(s.random) < kTailShare) {
      factor *= std::min(kMost, std::pow(1 - uniform(s.random), -1 / kTailIndex));
    }
    s.now += static_cast<std::int64_t>(median_ns * s.speed * factor);
  }

  /// Mostly some hundred bytes, at most a megabyte.
  std::uint64_t message_bytes() {
    constexpr double kLeast = 256;
    constexpr double kMost = 1 << 20;
    constexpr double kTailIndex = 0.9;
    std::uniform_real_distribution<double> uniform(0, 1);
    return static_cast<std::uint64_t>(
        std::min(kMost, kLeast * std::pow(1 - uniform(sizes_), -1 / kTailIndex)));
  }

  static std::int64_t transfer_ns(std::uint64_t bytes) {
    return kLatencyNs + static_cast<std::int64_t>(kNsPerByte * static_cast<double>(bytes));
  }

  // A call of `duration`, and no earlier at its end than `not_before`. Returns its begin.
  std::int64_t add(int rank, Call call, std::int64_t duration, std::int64_t not_before = 0) {
    RankState& s = state(rank);
    call.begin_ns = s.now + 60 + static_cast<std::int64_t>(s.random() % 60);
    call.end_ns = std::max(call.begin_ns + duration, not_before);
    s.now = call.end_ns;
    trace_.calls(rank).append(call);
    return call.begin_ns;
  }

  void add_step(int step) {
    for (int rank = 0; rank < kGridRanks; ++rank) enter(rank, time_step);
    add_halo(step);
    add_shift(step);
    for (int row = 0; row < kSide; ++row) add_collection(row, step);
    for (int column = 0; column < kSide; ++column) {
      add_collective(columns_[static_cast<std::size_t>(column)], Operation::allreduce, 64);
    }
    if (step % kStepsBetweenGlobal == 0) add_collective(kCommWorld, Operation::allreduce, 8);
    for (int rank = 0; rank < kGridRanks; ++rank) leave(rank, time_step);
  }

  void add_halo(int step) {
    constexpr int kDirections = 4;
    std::array<std::array<std::uint64_t, kDirections>, kGridRanks> bytes{};
    std::array<std::array<std::int64_t, kDirections>, kGridRanks> sent{};
    const auto neighbour = [](int rank, int direction) {
      constexpr std::array<int, kDirections> kRows{-1, 1, 0, 0};
      constexpr std::array<int, kDirections> kColumns{0, 0, -1, 1};
      const auto d = static_cast<std::size_t>(direction);
      return rank_at(rank / kSide + kRows[d], rank % kSide + kColumns[d]);
    };
    for (auto& of_rank : bytes) {
      for (std::uint64_t& b : of_rank) b = message_bytes();
    }
    for (int rank = 0; rank < kGridRanks; ++rank) {
      const auto r = static_cast<std::size_t>(rank);
      enter(rank, exchange_halo);
      for (int d = 0; d < kDirections; ++d) {
        // What comes from there was sent in the opposite direction.
        const int from = neighbour(rank, d);
        add(rank,
            {.operation = Operation::irecv,
             .bytes = bytes[static_cast<std::size_t>(from)][static_cast<std::size_t>(d ^ 1)],
             .peer = from,
             .tag = d ^ 1,
             .request = ++state(rank).request},
            110);
      }
      for (int d = 0; d < kDirections; ++d) {
        sent[r][static_cast<std::size_t>(d)] = add(rank,
                                                   {.operation = Operation::isend,
                                                    .bytes = bytes[r][static_cast<std::size_t>(d)],
                                                    .peer = neighbour(rank, d),
                                                    .tag = d,
                                                    .request = ++state(rank).request},
                                                   400);
      }
      enter(rank, interior_forces);
      compute(rank, 120'000);
      leave(rank, interior_forces);
    }
    for (int rank = 0; rank < kGridRanks; ++rank) {
      std::int64_t all_here = 0;
      std::array<std::int64_t, 2 * kDirections> requests{};
      for (int d = 0; d < kDirections; ++d) {
        const auto from = static_cast<std::size_t>(neighbour(rank, d));
        const auto there = static_cast<std::size_t>(d ^ 1);
        all_here = std::max(all_here, sent[from][there] + transfer_ns(bytes[from][there]));
      }
      for (std::uint32_t i = 0; i < requests.size(); ++i) {
        requests[i] = state(rank).request + 1 - static_cast<std::uint32_t>(requests.size()) + i;
      }
      Call call{.operation = Operation::waitall};
      call.args = requests;
      add(rank, call, 900, all_here);
      leave(rank, exchange_halo);
      enter(rank, boundary_forces);
      compute(rank, step % 2 == 0 ? 40'000 : 25'000);
      leave(rank, boundary_forces);
    }
  }

  // Each rank to its right neighbour, by sendrecv.
  void add_shift(int step) {
    std::array<std::uint64_t, kGridRanks> bytes{};
    std::array<std::int64_t, kGridRanks> ready{};
    for (int rank = 0; rank < kGridRanks; ++rank) {
      enter(rank, shift_particles);
      bytes[static_cast<std::size_t>(rank)] = message_bytes();
      ready[static_cast<std::size_t>(rank)] = state(rank).now + 60;
    }
    for (int rank = 0; rank < kGridRanks; ++rank) {
      const int left = rank_at(rank / kSide, rank % kSide - 1);
      const auto from = static_cast<std::size_t>(left);
      const std::array<std::int64_t, 4> source{left, 16, static_cast<std::int64_t>(bytes[from]), 0};
      Call call{.operation = Operation::sendrecv,
                .bytes = bytes[static_cast<std::size_t>(rank)],
                .peer = rank_at(rank / kSide, rank % kSide + 1),
                .tag = 16};
      call.args = source;
      add(rank, call, 800, ready[from] + 120 + transfer_ns(bytes[from]));
      leave(rank, shift_particles);
      enter(rank, update_state);
      compute(rank, step % 3 == 0 ? 60'000 : 20'000);
      leave(rank, update_state);
    }
  }

  // A row's first rank takes what the others send it in the order in which it comes.
  void add_collection(int row, int step) {
    struct Arrival {
      std::int64_t at;
      int rank;
      std::uint64_t bytes;
    };
    const std::uint32_t comm = rows_[static_cast<std::size_t>(row)];
    const int root = rank_at(row, step);
    enter(root, collect_results);
    std::vector<Arrival> arrivals;
    for (int column = 0; column < kSide; ++column) {
      const int rank = rank_at(row, column);
      if (rank == root) continue;
      enter(rank, collect_results);
      const std::uint64_t bytes = message_bytes();
      const std::int64_t sent =
          add(rank,
              {.operation = Operation::send, .bytes = bytes, .peer = root, .tag = 32, .comm = comm},
              500);
      arrivals.push_back({sent + transfer_ns(bytes), rank, bytes});
    }
    std::ranges::sort(arrivals, {}, &Arrival::at);
    for (const Arrival& arrival : arrivals) {
      add(root,
          {.operation = Operation::recv,
           .flags = SLK_FLAG_ANY_SOURCE,
           .bytes = arrival.bytes,
           .peer = arrival.rank,
           .tag = 32,
           .comm = comm},
          300, arrival.at);
      compute(root, 1'500);
    }
    const std::int64_t decided = state(root).now;
    for (int column = 0; column < kSide; ++column) {
      const int rank = rank_at(row, column);
      add(rank, {.operation = Operation::bcast, .bytes = 256, .peer = root, .tag = 1, .comm = comm},
          1'200, rank == root ? 0 : decided + kLatencyNs);
      leave(rank, collect_results);
    }
  }

  void add_collective(std::uint32_t comm, Operation operation, std::uint64_t bytes) {
    std::vector<std::int32_t> members = trace_.communicators()[comm].members;
    if (members.empty()) {
      for (int rank = 0; rank < kGridRanks; ++rank) members.push_back(rank);
    }
    std::int64_t all_here = 0;
    for (const int rank : members) all_here = std::max(all_here, state(rank).now);
    for (const int rank : members) {
      add(rank, {.operation = operation, .bytes = bytes, .tag = 8, .comm = comm}, 3'000,
          all_here + 3 * kLatencyNs + static_cast<std::int64_t>(state(rank).random() % 500));
    }
  }

  TraceBuilder trace_;
  std::array<RankState, kGridRanks> states_{};
  std::mt19937 sizes_{7};
  std::vector<std::uint32_t> rows_{};
  std::vector<std::uint32_t> columns_{};
};

}  // namespace

Trace make_irregular_trace(int steps) {
  return IrregularProgram(steps).take();
}

}  // namespace slackline
