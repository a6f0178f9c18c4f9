#include "oracle/regular_programs.h"

#include <array>
#include <cstdlib>

#include "base/flat_map.h"

namespace slackline::oracle {
namespace {

/// Somewhere between 0 and 999, always the same for the same question.
std::int64_t jitter(std::uint64_t rank, std::uint64_t step) {
  return static_cast<std::int64_t>(mix_bits(rank * 1'000'003 + step) % 1000);
}

class RegularRank {
 public:
  RegularRank(Program& program, std::int32_t rank)
      : calls_(program.ranks[static_cast<std::size_t>(rank)]) {}

  void receive(std::int32_t from, std::int32_t tag) { start(Operation::irecv, from, tag, 0); }
  void send(std::int32_t to, std::int32_t tag, std::uint64_t bytes) {
    start(Operation::isend, to, tag, bytes);
  }
  void compute(std::int64_t ns) { gap_ns_ += ns; }
  void wait() {
    append(Call{.operation = Operation::waitall}, requests_);
    requests_.clear();
  }
  void allreduce(std::uint64_t bytes) {
    append(Call{.operation = Operation::allreduce, .bytes = bytes, .tag = 8}, {});
  }

 private:
  void start(Operation operation, std::int32_t peer, std::int32_t tag, std::uint64_t bytes) {
    append(Call{.operation = operation,
                .bytes = bytes,
                .peer = peer,
                .tag = tag,
                .request = ++last_request_},
           {});
    requests_.push_back(last_request_);
  }
  void append(const Call& call, const std::vector<std::int64_t>& args) {
    calls_.push_back({.call = call, .args = args, .gap_ns = gap_ns_});
    gap_ns_ = 0;
  }

  std::vector<ProgramCall>& calls_;
  std::vector<std::int64_t> requests_;
  std::uint32_t last_request_ = 0;
  std::int64_t gap_ns_ = 0;
};

Program empty_program(std::int32_t ranks) {
  Program program;
  program.ranks.resize(static_cast<std::size_t>(ranks));
  program.tails_ns.assign(static_cast<std::size_t>(ranks), 0);
  return program;
}

struct Offset {
  std::int32_t x, y, z;
};

/// All 26 neighbours, opposite ones at mirrored places of the list.
std::vector<Offset> neighbour_offsets() {
  std::vector<Offset> all;
  for (int i = 0; i < 27; ++i) {
    if (i != 13) all.push_back({i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1});
  }
  return all;
}

/// Faces are large, edges small, corners tiny.
std::uint64_t halo_bytes(const Offset& o) {
  constexpr std::array<std::uint64_t, 4> kHaloBytes{0, 7200, 240, 8};
  return kHaloBytes[static_cast<std::size_t>(std::abs(o.x) + std::abs(o.y) + std::abs(o.z))];
}

std::int32_t neighbour(std::int32_t rank, std::int32_t side, const Offset& o) {
  const std::int32_t x = rank % side + o.x;
  const std::int32_t y = rank / side % side + o.y;
  const std::int32_t z = rank / side / side + o.z;
  const auto inside = [&](std::int32_t c) { return c >= 0 && c < side; };
  return inside(x) && inside(y) && inside(z) ? (z * side + y) * side + x : -1;
}

}  // namespace

Program stencil_program(std::int32_t rows, std::int32_t columns, int steps, int reduce_every) {
  Program program = empty_program(rows * columns);
  for (std::int32_t rank = 0; rank < rows * columns; ++rank) {
    RegularRank me(program, rank);
    const std::int32_t x = rank % columns;
    const std::int32_t y = rank / columns;
    const std::array neighbours{x > 0 ? rank - 1 : -1, x + 1 < columns ? rank + 1 : -1,
                                y > 0 ? rank - columns : -1, y + 1 < rows ? rank + columns : -1};
    for (int step = 0; step < steps; ++step) {
      for (const std::int32_t n : neighbours) {
        if (n >= 0) me.receive(n, step % 5);
      }
      for (const std::int32_t n : neighbours) {
        if (n >= 0) me.send(n, step % 5, 4096);
      }
      me.compute(3000 + jitter(static_cast<std::uint64_t>(rank), static_cast<std::uint64_t>(step)));
      me.wait();
      me.compute(500);
      if (step % reduce_every == reduce_every - 1) me.allreduce(8);
    }
  }
  return program;
}

Program lulesh_like_program(std::int32_t side, int steps) {
  const std::vector<Offset> offsets = neighbour_offsets();
  Program program = empty_program(side * side * side);
  for (std::int32_t rank = 0; rank < program.size(); ++rank) {
    RegularRank me(program, rank);
    for (int step = 0; step < steps; ++step) {
      for (std::int32_t phase = 0; phase < 3; ++phase) {
        for (const Offset& o : offsets) {
          if (const std::int32_t n = neighbour(rank, side, o); n >= 0) me.receive(n, phase);
        }
        me.compute(8000 + jitter(static_cast<std::uint64_t>(rank * 3 + phase),
                                 static_cast<std::uint64_t>(step)));
        for (const Offset& o : offsets) {
          if (const std::int32_t n = neighbour(rank, side, o); n >= 0) {
            me.send(n, phase, halo_bytes(o));
          }
        }
        me.wait();
      }
      me.allreduce(8);
    }
  }
  return program;
}

}  // namespace slackline::oracle
