#include "graph/collectives/testing/expectations.h"
#include "trace/operation_kinds.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace slackline::test {

namespace {

std::uint64_t sum(const std::vector<std::int64_t>& counts) {
  return static_cast<std::uint64_t>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
}

std::uint64_t block(const Case& c, std::int32_t rank) {
  if (c.counts.empty()) return c.call.bytes;
  return static_cast<std::uint64_t>(c.counts[static_cast<std::size_t>(rank)]);
}

std::uint64_t all_blocks(const Case& c) {
  return c.counts.empty() ? c.call.bytes * static_cast<std::uint64_t>(c.call.size) : sum(c.counts);
}

/// Ranks with a block that is not empty: only their contribution can be needed.
RankSet with_blocks(const Case& c) {
  RankSet set = 0;
  for (std::int32_t r = 0; r < c.call.size; ++r) {
    if (block(c, r) > 0) set |= only(r);
  }
  return set;
}

/// Whose alltoallv blocks or neighbour messages a rank must have got.
RankSet needed_of_own(const Case& c, std::int32_t rank) {
  const auto& args = c.own[static_cast<std::size_t>(rank)];
  const auto size = static_cast<std::size_t>(c.call.size);
  RankSet set = 0;
  if (has_own_counts(c.call.operation)) {
    for (std::size_t r = 0; r < size; ++r) {
      if (args[size + r] > 0) set |= only(static_cast<std::int32_t>(r));
    }
    return set;
  }
  const auto n_out = static_cast<std::size_t>(args[0]);
  for (std::size_t i = 2 + 2 * n_out; i < args.size(); i += 2) {
    set |= only(static_cast<std::int32_t>(args[i]));
  }
  return set;
}

/// Whose contributions `rank` must know in the end.
RankSet needed(const Case& c, std::int32_t rank) {
  const Operation operation = c.call.operation;
  const RankSet everyone = first_ranks(c.call.size);
  if (operation == Operation::barrier) return everyone;
  if (has_own_counts(operation) || is_neighbourhood(operation)) return needed_of_own(c, rank);
  switch (operation) {
    case Operation::bcast:
      return c.call.bytes > 0 ? only(c.call.root) : 0;
    case Operation::scatter:
    case Operation::scatterv:
      return block(c, rank) > 0 ? only(c.call.root) : 0;
    case Operation::reduce:
      return rank == c.call.root && c.call.bytes > 0 ? everyone : 0;
    case Operation::gather:
    case Operation::gatherv:
      return rank == c.call.root ? with_blocks(c) : 0;
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
      return block(c, rank) > 0 ? everyone : 0;
    case Operation::scan:
    case Operation::exscan:
      return first_ranks(operation == Operation::scan ? rank + 1 : rank);
    case Operation::allgather:
    case Operation::allgatherv:
      return with_blocks(c);
    default:
      return c.call.bytes > 0 ? everyone : 0;
  }
}

/// The least number of bytes that all ranks together have to send.
std::uint64_t least_total(const Case& c) {
  const auto others = static_cast<std::uint64_t>(c.call.size - 1);
  switch (c.call.operation) {
    case Operation::bcast:
    case Operation::reduce:
    case Operation::scan:
      return others * c.call.bytes;
    case Operation::allreduce:  // each element: P - 1 messages to combine it, P - 1 to tell it
      return 2 * others * c.call.bytes;
    case Operation::alltoall:
      return others * all_blocks(c);
    case Operation::gather:
    case Operation::gatherv:
    case Operation::scatter:
    case Operation::scatterv:
      return all_blocks(c) - block(c, c.call.root);
    case Operation::allgather:
    case Operation::allgatherv:
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
      return others * all_blocks(c);
    default:
      return 0;
  }
}

/// The least number of bytes that one rank has to receive.
std::uint64_t least_received(const Case& c, std::int32_t rank) {
  switch (c.call.operation) {
    case Operation::bcast:
      return rank == c.call.root ? 0 : c.call.bytes;
    case Operation::allgather:
    case Operation::allgatherv:
      return all_blocks(c) - block(c, rank);
    case Operation::scatter:
    case Operation::scatterv:
      return rank == c.call.root ? 0 : block(c, rank);
    case Operation::alltoall:
      return c.call.bytes * static_cast<std::uint64_t>(c.call.size - 1);
    case Operation::allreduce:
      return c.call.size > 1 ? c.call.bytes : 0;
    default:
      return 0;
  }
}

std::string judge(const Performance& p, const Case& c) {
  if (!p.defect.empty()) return p.defect;
  for (std::int32_t r = 0; r < c.call.size; ++r) {
    const auto index = static_cast<std::size_t>(r);
    if ((needed(c, r) & ~p.knows[index]) != 0) {
      return "rank " + std::to_string(r) + " cannot have its result";
    }
    if (p.bytes_received[index] < least_received(c, r)) {
      return "rank " + std::to_string(r) + " received only " +
             std::to_string(p.bytes_received[index]) + " bytes";
    }
  }
  if (p.total_bytes() < least_total(c)) {
    return "only " + std::to_string(p.total_bytes()) + " bytes were sent";
  }
  return {};
}

void make_neighbours(Case& c, std::mt19937_64& random) {
  const std::int32_t size = c.call.size;
  std::vector<std::vector<std::int64_t>> out(static_cast<std::size_t>(size));
  std::vector<std::vector<std::int64_t>> in(static_cast<std::size_t>(size));
  for (std::int32_t edge = 0; size > 1 && edge < 3 * size; ++edge) {
    const auto from = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(size));
    const auto to = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(size));
    const auto bytes = static_cast<std::int64_t>(random() % (2 * c.call.bytes + 1));
    if (from == to) continue;
    for (const std::int64_t value : {to, bytes})
      out[static_cast<std::size_t>(from)].push_back(value);
    for (const std::int64_t value : {from, bytes})
      in[static_cast<std::size_t>(to)].push_back(value);
  }
  for (std::size_t r = 0; r < out.size(); ++r) {
    std::vector<std::int64_t> args{static_cast<std::int64_t>(out[r].size() / 2)};
    args.insert(args.end(), out[r].begin(), out[r].end());
    args.push_back(static_cast<std::int64_t>(in[r].size() / 2));
    args.insert(args.end(), in[r].begin(), in[r].end());
    c.own.push_back(std::move(args));
  }
}

void make_own_counts(Case& c, std::mt19937_64& random) {
  const auto size = static_cast<std::size_t>(c.call.size);
  c.own.assign(size, std::vector<std::int64_t>(2 * size));
  for (std::size_t from = 0; from < size; ++from) {
    for (std::size_t to = 0; to < size; ++to) {
      const auto bytes = static_cast<std::int64_t>(random() % (2 * c.call.bytes + 1));
      c.own[from][to] = bytes;
      c.own[to][size + from] = bytes;
    }
  }
}

}  // namespace

std::string Case::text() const {
  return std::string(identifier(call.operation)) + ", " + std::to_string(call.size) + " ranks, " +
         std::to_string(call.bytes) + " bytes, root " + std::to_string(call.root);
}

bool has_counts(Operation operation) {
  return operation == Operation::gatherv || operation == Operation::scatterv ||
         operation == Operation::allgatherv || operation == Operation::reduce_scatter;
}

bool has_own_counts(Operation operation) {
  return operation == Operation::alltoallv || operation == Operation::alltoallw;
}

Case make_case(Operation operation, std::int32_t size, std::uint64_t bytes, std::int32_t root,
               std::uint64_t seed) {
  Case c;
  c.call = {.operation = operation, .size = size, .root = root, .bytes = bytes};
  if (operation == Operation::barrier) c.call.bytes = 0;
  if (bytes % 8 == 0 && bytes > 0) c.call.element_bytes = 8;
  std::mt19937_64 random(seed * 1000003 + static_cast<std::uint64_t>(size));
  if (has_counts(operation)) {
    for (std::int32_t r = 0; r < size; ++r) {
      // One block in four is empty.
      const std::uint64_t count = random() % 4 == 0 ? 0 : random() % (2 * bytes + 1);
      c.counts.push_back(static_cast<std::int64_t>(count));
    }
  }
  if (has_own_counts(operation)) make_own_counts(c, random);
  if (is_neighbourhood(operation)) make_neighbours(c, random);
  return c;
}

std::string what_is_wrong(const CollectiveAlgorithm& algorithm, Case c) {
  for (const bool single_waits : {false, true}) {
    c.call.single_waits = single_waits;
    const Programs all = programs(algorithm, c.with_counts(), c.own);
    for (const Sends sends : {Sends::eager, Sends::synchronous}) {
      const std::string wrong = judge(perform(all, sends), c);
      if (wrong.empty()) continue;
      return std::string(algorithm.name) + " (" + c.text() + "; " +
             (sends == Sends::eager ? "eager" : "synchronous") +
             (single_waits ? ", single waits" : "") + "): " + wrong;
    }
  }
  return {};
}

}  // namespace slackline::test
