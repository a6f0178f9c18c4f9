#include "goal_programs.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace slackline {
namespace {

constexpr int kSide = 3;  // of the stencil's cube of ranks
constexpr std::uint32_t kWavefrontSide = 8;

/// One rank's block while it grows: what the next operation must wait for.
class RankWriter {
 public:
  explicit RankWriter(GoalRank& rank) : rank_(rank) {}

  void calc(std::uint64_t ns) { chain(rank_.add({.size = ns})); }
  void send(std::uint32_t to, std::uint32_t tag, std::uint64_t bytes) {
    chain(rank_.add({.kind = GoalKind::send, .peer = to, .tag = tag, .size = bytes}));
  }
  void recv(std::uint32_t from, std::uint32_t tag, std::uint64_t bytes) {
    chain(rank_.add({.kind = GoalKind::recv, .peer = from, .tag = tag, .size = bytes}));
  }
  void start_send(std::uint32_t to, std::uint32_t tag, std::uint64_t bytes) {
    start(rank_.add({.kind = GoalKind::send, .peer = to, .tag = tag, .size = bytes}));
  }
  void start_recv(std::uint32_t from, std::uint32_t tag, std::uint64_t bytes) {
    start(rank_.add({.kind = GoalKind::recv, .peer = from, .tag = tag, .size = bytes}));
  }
  /// For everything that was started.
  void wait(std::uint64_t ns) {
    const std::uint32_t op = rank_.add({.size = ns});
    for (const std::uint32_t started : started_) rank_.add_dependency(op, started, false);
    if (has_last_) rank_.add_dependency(op, last_, false);
    started_.clear();
    last_ = op;
    has_last_ = true;
  }

 private:
  void chain(std::uint32_t op) {
    start_after_last(op);
    last_ = op;
    has_last_ = true;
  }
  void start(std::uint32_t op) {
    start_after_last(op);
    started_.push_back(op);
  }
  void start_after_last(std::uint32_t op) {
    if (has_last_) rank_.add_dependency(op, last_, false);
  }

  GoalRank& rank_;
  std::vector<std::uint32_t> started_;
  std::uint32_t last_ = 0;
  bool has_last_ = false;
};

std::vector<RankWriter> writers(GoalProgram& program, std::size_t ranks) {
  program.ranks.resize(ranks);
  std::vector<RankWriter> result;
  for (GoalRank& rank : program.ranks) result.emplace_back(rank);
  return result;
}

void stencil(GoalProgram& program, std::uint64_t operations) {
  constexpr std::uint64_t kPerStep = 2 * 316 + 3 * 27;
  std::vector<RankWriter> ranks = writers(program, kSide * kSide * kSide);
  std::mt19937_64 random(1);
  const auto number = [](int x, int y, int z) { return (z * kSide + y) * kSide + x; };
  const auto for_neighbours = [&](int rank, auto visit) {
    const int x = rank % kSide;
    const int y = rank / kSide % kSide;
    const int z = rank / kSide / kSide;
    for (int dz = -1; dz <= 1; ++dz) {
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
          const auto inside = [](int i) { return i >= 0 && i < kSide; };
          if ((dx == 0 && dy == 0 && dz == 0) || !inside(x + dx) || !inside(y + dy) ||
              !inside(z + dz)) {
            continue;
          }
          const int order = std::abs(dx) + std::abs(dy) + std::abs(dz);
          visit(static_cast<std::uint32_t>(number(x + dx, y + dy, z + dz)),
                std::uint64_t{order == 1   ? 7200u
                              : order == 2 ? 240u
                                           : 8u});
        }
      }
    }
  };
  for (std::uint64_t step = 0; step < operations / kPerStep + 1; ++step) {
    for (int r = 0; r < static_cast<int>(ranks.size()); ++r) {
      RankWriter& rank = ranks[static_cast<std::size_t>(r)];
      for_neighbours(r,
                     [&](std::uint32_t n, std::uint64_t bytes) { rank.start_recv(n, 0, bytes); });
      rank.calc(50'000 + random() % 20'000);
      for_neighbours(r,
                     [&](std::uint32_t n, std::uint64_t bytes) { rank.start_send(n, 0, bytes); });
      rank.calc(100 + random() % 1000);
      rank.wait(random() % 5'000);
    }
  }
}

void wavefront(GoalProgram& program, std::uint64_t operations) {
  constexpr std::uint64_t kPerSweep =
      4 * kWavefrontSide * (kWavefrontSide - 1) + kWavefrontSide * kWavefrontSide;
  std::vector<RankWriter> ranks = writers(program, kWavefrontSide * kWavefrontSide);
  std::mt19937_64 random(2);
  for (std::uint64_t sweep = 0; sweep < operations / kPerSweep + 1; ++sweep) {
    for (std::uint32_t r = 0; r < ranks.size(); ++r) {
      const bool back = sweep / 8 % 2 == 1;
      const auto at = [&](std::uint32_t i) { return back ? kWavefrontSide - 1 - i : i; };
      const std::uint32_t x = at(r % kWavefrontSide);
      const std::uint32_t y = at(r / kWavefrontSide);
      const auto rank_at = [&](std::uint32_t px, std::uint32_t py) {
        return at(py) * kWavefrontSide + at(px);
      };
      if (x > 0) ranks[r].recv(rank_at(x - 1, y), 1, 4000);
      if (y > 0) ranks[r].recv(rank_at(x, y - 1), 2, 4000);
      ranks[r].calc(20'000 + random() % 10'000);
      if (x + 1 < kWavefrontSide) ranks[r].send(rank_at(x + 1, y), 1, 4000);
      if (y + 1 < kWavefrontSide) ranks[r].send(rank_at(x, y + 1), 2, 4000);
    }
  }
}

void random_pairs(GoalProgram& program, std::uint64_t operations) {
  constexpr std::uint32_t kRanks = 64;
  constexpr std::uint64_t kMessagesPerRound = 3 * kRanks;
  std::vector<RankWriter> ranks = writers(program, kRanks);
  std::mt19937_64 random(3);
  for (std::uint64_t done = 0; done < operations; done += 2 * kMessagesPerRound + 2 * kRanks) {
    for (std::uint64_t m = 0; m < kMessagesPerRound; ++m) {
      const auto from = static_cast<std::uint32_t>(random() % kRanks);
      const auto to = static_cast<std::uint32_t>(random() % kRanks);
      const std::uint64_t bytes = 1 + random() % 10'000;
      const auto tag = static_cast<std::uint32_t>(random() % 4);
      ranks[from].start_send(to, tag, bytes);
      ranks[to].start_recv(from, tag, bytes);
    }
    for (RankWriter& rank : ranks) {
      rank.calc(random() % 30'000);
      rank.wait(random() % 2'000);
    }
  }
}

void all_to_all(GoalProgram& program, std::uint64_t operations) {
  const auto ranks =
      static_cast<std::uint32_t>(std::max(2.0, std::sqrt(static_cast<double>(operations) / 2)));
  std::vector<RankWriter> all = writers(program, ranks);
  for (std::uint32_t r = 0; r < ranks; ++r) {
    for (std::uint32_t k = 1; k < ranks; ++k) {
      all[r].start_recv((r + ranks - k) % ranks, 0, 8);
      all[r].start_send((r + k) % ranks, 0, 8);
    }
  }
}

}  // namespace

std::string_view to_string(GoalPattern pattern) {
  switch (pattern) {
    case GoalPattern::stencil:
      return "stencil";
    case GoalPattern::wavefront:
      return "wavefront";
    case GoalPattern::random:
      return "random";
    case GoalPattern::alltoall:
      return "alltoall";
  }
  return "stencil";
}

GoalProgram make_goal_program(GoalPattern pattern, std::uint64_t operations) {
  GoalProgram program;
  switch (pattern) {
    case GoalPattern::stencil:
      stencil(program, operations);
      break;
    case GoalPattern::wavefront:
      wavefront(program, operations);
      break;
    case GoalPattern::random:
      random_pairs(program, operations);
      break;
    case GoalPattern::alltoall:
      all_to_all(program, operations);
      break;
  }
  for (GoalRank& rank : program.ranks) rank.shrink();
  return program;
}

}  // namespace slackline
