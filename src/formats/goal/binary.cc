// LogGOPSim's binary GOAL: little-endian, unaligned, offsets counted from behind the cookie.
//
//   u64 cookie; u32 ranks; u8 largest cpu; u8 largest nic; { u64 begin, end } of each rank's part
//   part: u32 nodes; u32 roots; u32 root[roots]; node[nodes]; u32 successor[...]
//   node: u32 indegree; u8 type; u32 peer; u64 size; u32 tag; u8 cpu; u8 nic;
//         u32 count, first of the successors on done; the same on start
//
// A program keeps its dependencies in the order in which they were written; the file keeps them by
// source. Each source's order is what LogGOPSim's ties hang on, and that survives.

#include "formats/goal/goal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr std::uint64_t kCookie = 4223;
/// What LogGOPSim leaves after running with --save-mem.
constexpr std::uint64_t kUsedUpCookie = 2342;
constexpr std::size_t kCookieBytes = 8;
constexpr std::size_t kHeaderBytes = 6;
constexpr std::size_t kJumpBytes = 16;
constexpr std::size_t kNodeBytes = 39;

enum NodeType : std::uint8_t { node_send = 1, node_recv = 2, node_calc = 3 };

class BinaryReader {
 public:
  BinaryReader(std::span<const std::byte> bytes, std::string_view name)
      : bytes_(bytes), name_(name) {}

  GoalProgram read() {
    const auto cookie = take<std::uint64_t>();
    if (cookie == kUsedUpCookie) {
      fail(0, "the schedule was consumed", "LogGOPSim ran on it with --save-mem",
           "Convert it again from its text.");
    }
    if (cookie != kCookie) fail(0, "not a binary GOAL file", "its magic number is not 4223", {});
    const auto ranks = take<std::uint32_t>();
    at_ += 2;  // the largest cpu and nic follow from the nodes
    need(std::uint64_t{ranks} * kJumpBytes);
    GoalProgram program;
    program.ranks.reserve(ranks);
    rank_count_ = ranks;
    for (std::uint32_t r = 0; r < ranks; ++r) {
      at_ = kCookieBytes + kHeaderBytes + r * kJumpBytes;
      const auto begin = take<std::uint64_t>();
      if (begin > bytes_.size() - kCookieBytes) {
        fail(at_ - sizeof(begin), fmt::format("rank {} begins beyond the end of the file", r),
             fmt::format("the file has {} bytes", bytes_.size()),
             "Check that the file is complete.");
      }
      at_ = kCookieBytes + begin;
      program.ranks.push_back(read_rank());
    }
    return program;
  }

 private:
  GoalRank read_rank() {
    const auto nodes = take<std::uint32_t>();
    const auto roots = take<std::uint32_t>();
    if (nodes > GoalRank::kMostOperations) {
      fail(at_, "too many operations in one rank", "the maximum is two billion", {});
    }
    need(std::uint64_t{roots} * sizeof(std::uint32_t) + std::uint64_t{nodes} * kNodeBytes);
    at_ += std::size_t{roots} * sizeof(std::uint32_t);
    const std::size_t nodes_at = at_;
    const std::size_t successors_at = nodes_at + std::size_t{nodes} * kNodeBytes;
    GoalRank rank;
    for (std::uint32_t i = 0; i < nodes; ++i) read_node(rank);
    for (std::uint32_t i = 0; i < nodes; ++i) {
      at_ = nodes_at + i * kNodeBytes + kNodeBytes - 4 * sizeof(std::uint32_t);
      read_successors(rank, i, false, successors_at);
      read_successors(rank, i, true, successors_at);
    }
    rank.shrink();
    return rank;
  }

  void read_node(GoalRank& rank) {
    const std::size_t node_at = at_;
    at_ += sizeof(std::uint32_t);  // the indegree follows from the successors
    GoalOperation op;
    switch (take<std::uint8_t>()) {
      case node_send:
        op.kind = GoalKind::send;
        break;
      case node_recv:
        op.kind = GoalKind::recv;
        break;
      case node_calc:
        op.kind = GoalKind::calc;
        break;
      default:
        fail(node_at, "unknown type of operation", "1, 2 and 3 are send, recv and calc", {});
    }
    op.peer = take<std::uint32_t>();
    op.size = take<std::uint64_t>();
    op.tag = take<std::uint32_t>();
    op.cpu = take<std::uint8_t>();
    op.nic = take<std::uint8_t>();
    if (op.size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      fail(node_at, "the size of an operation is too large", "the maximum is 63 bits", {});
    }
    if (op.kind == GoalKind::calc) {
      op.peer = 0;
      op.tag = 0;
    } else if (op.peer >= rank_count_ && (op.kind != GoalKind::recv || op.peer != kGoalAny)) {
      fail(
          node_at, fmt::format("rank {} does not exist", op.peer),
          fmt::format("the file has {}", count_of(static_cast<std::uint64_t>(rank_count_), "rank")),
          {});
    }
    rank.add(op);
    at_ = node_at + kNodeBytes;
  }

  void read_successors(GoalRank& rank, std::uint32_t on, bool on_start, std::size_t successors_at) {
    const auto count = take<std::uint32_t>();
    const auto first = take<std::uint32_t>();
    if (count == 0) return;
    const std::size_t back = at_;
    at_ = successors_at + std::size_t{first} * sizeof(std::uint32_t);
    need(std::uint64_t{count} * sizeof(std::uint32_t));
    for (std::uint32_t k = 0; k < count; ++k) {
      const auto dependent = take<std::uint32_t>();
      if (dependent >= rank.size() || dependent == on) {
        fail(at_ - sizeof(dependent),
             fmt::format("operation {} cannot depend on {}", dependent, on),
             fmt::format("the rank has {} operations", rank.size()),
             "Check that the file is intact.");
      }
      rank.add_dependency(dependent, on, on_start);
    }
    at_ = back;
  }

  template <class T>
  T take() {
    need(sizeof(T));
    T value;
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

  void need(std::uint64_t count) const {
    if (at_ <= bytes_.size() && count <= bytes_.size() - at_) return;
    fail(at_, "the file ends too early",
         fmt::format("{} bytes are required here, the file has {}", count, bytes_.size()),
         "Check that the file is complete.");
  }

  [[noreturn]] void fail(std::size_t offset, std::string_view problem, std::string_view why,
                         std::string_view what_to_do) const {
    throw Error(fmt::format("{}: at byte {}: {}", name_, offset, problem), why, what_to_do);
  }

  std::span<const std::byte> bytes_;
  std::string_view name_;
  std::size_t at_ = 0;
  std::uint32_t rank_count_ = 0;
};

template <class T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

std::uint8_t type_of(GoalKind kind) {
  switch (kind) {
    case GoalKind::send:
      return node_send;
    case GoalKind::recv:
      return node_recv;
    case GoalKind::calc:
      return node_calc;
  }
  return node_calc;
}

void put_rank(std::string& out, const GoalRank& rank) {
  const GoalAdjacency successors = GoalAdjacency::successors(rank);
  std::vector<std::uint32_t> indegree(rank.size(), 0);
  for (const GoalDependency& d : rank.dependencies()) ++indegree[d.dependent];
  put(out, rank.size());
  put(out, static_cast<std::uint32_t>(std::ranges::count(indegree, 0u)));
  for (std::uint32_t i = 0; i < rank.size(); ++i) {
    if (indegree[i] == 0) put(out, i);
  }
  std::uint32_t at = 0;
  for (std::uint32_t i = 0; i < rank.size(); ++i) {
    const GoalOperation op = rank[i];
    put(out, indegree[i]);
    put(out, type_of(op.kind));
    put(out, op.peer);
    put(out, op.size);
    put(out, op.tag);
    put(out, op.cpu);
    put(out, op.nic);
    for (const bool on_start : {false, true}) {
      const auto count = static_cast<std::uint32_t>(std::ranges::count_if(
          successors.of(i), [&](const auto& e) { return (e.on_start != 0) == on_start; }));
      put(out, count);
      put(out, at);
      at += count;
    }
  }
  for (std::uint32_t i = 0; i < rank.size(); ++i) {
    for (const bool on_start : {false, true}) {
      for (const GoalAdjacency::Entry e : successors.of(i)) {
        if ((e.on_start != 0) == on_start) put(out, std::uint32_t{e.operation});
      }
    }
  }
}

}  // namespace

bool looks_like_goal_binary(std::span<const std::byte> bytes) {
  std::uint64_t cookie = 0;
  if (bytes.size() < kCookieBytes + kHeaderBytes) return false;
  std::memcpy(&cookie, bytes.data(), sizeof(cookie));
  return cookie == kCookie || cookie == kUsedUpCookie;
}

GoalProgram read_goal_binary(std::span<const std::byte> bytes, std::string_view name) {
  return BinaryReader(bytes, name).read();
}

std::string goal_binary(const GoalProgram& program) {
  std::uint8_t most_cpu = 0;
  std::uint8_t most_nic = 0;
  for (const GoalRank& rank : program.ranks) {
    for (std::uint32_t i = 0; i < rank.size(); ++i) {
      most_cpu = std::max(most_cpu, rank[i].cpu);
      most_nic = std::max(most_nic, rank[i].nic);
    }
  }
  std::string out;
  put(out, kCookie);
  put(out, static_cast<std::uint32_t>(program.ranks.size()));
  put(out, most_cpu);
  put(out, most_nic);
  const std::size_t jumps_at = out.size();
  out.append(program.ranks.size() * kJumpBytes, '\0');
  for (std::size_t r = 0; r < program.ranks.size(); ++r) {
    const std::uint64_t begin = out.size() - kCookieBytes;
    put_rank(out, program.ranks[r]);
    const std::uint64_t range[] = {begin, out.size() - kCookieBytes};
    std::memcpy(out.data() + jumps_at + r * kJumpBytes, range, sizeof(range));
  }
  return out;
}

}  // namespace slackline
