#include "graph/goal/goal_of_graph.h"

#include <limits>
#include <vector>

namespace slackline {
namespace {

constexpr std::uint32_t kStart = std::numeric_limits<std::uint32_t>::max();

/// Vertex after vertex; as they stand in topological order, every operation comes after what it
/// requires.
class GoalWriter {
 public:
  explicit GoalWriter(const ExecutionGraph& graph)
      : graph_(graph),
        ranks_(vertex_ranks(graph)),
        end_of_(graph.vertex_count(), kStart),
        receivers_(graph.vertex_count() + 1, 0) {
    program_.ranks.resize(static_cast<std::size_t>(graph.ranks()));
    list_receivers();
  }

  GoalProgram write() && {
    for (VertexId v = 0; v < graph_.vertex_count(); ++v) write_vertex(v);
    for (std::int32_t r = 0; r < graph_.ranks(); ++r) {
      const std::uint32_t last = end_of_[graph_.last_vertex(r)];
      if (graph_.tail_ns(r) > 0) calc(rank(r), last, graph_.tail_ns(r));
      rank(r).shrink();
    }
    return std::move(program_);
  }

 private:
  GoalRank& rank(std::int32_t r) { return program_.ranks[static_cast<std::size_t>(r)]; }

  /// The ranks that each vertex's messages go to, with their numbers, in order of arrival.
  void list_receivers() {
    for_messages([&](VertexId, const Edge& e) { ++receivers_[e.from + std::size_t{1}]; });
    for (std::size_t i = 1; i < receivers_.size(); ++i) receivers_[i] += receivers_[i - 1];
    messages_.resize(receivers_.back());
    std::vector<std::uint32_t> next(receivers_.begin(), receivers_.end() - 1);
    for_messages([&](VertexId v, const Edge& e) {
      messages_[next[e.from]++] = {static_cast<std::uint32_t>(ranks_[v]), number_++, e.bytes};
    });
    number_ = 0;
  }

  template <class Visit>
  void for_messages(Visit visit) const {
    for (VertexId v = 0; v < graph_.vertex_count(); ++v) {
      graph_.for_in_edges(v, [&](const Edge& e) {
        if (e.kind == EdgeKind::message) visit(v, e);
      });
    }
  }

  static std::uint32_t calc(GoalRank& rank, std::uint32_t after, std::int64_t ns) {
    const std::uint32_t op = rank.add({.size = static_cast<std::uint64_t>(ns)});
    if (after != kStart) rank.add_dependency(op, after, false);
    return op;
  }

  void write_vertex(VertexId v) {
    GoalRank& mine = rank(ranks_[v]);
    std::vector<std::uint32_t> after;
    graph_.for_in_edges(v, [&](const Edge& e) {
      if (e.kind == EdgeKind::message) return;
      std::uint32_t end = end_of_[e.from];
      if (e.nanoseconds > 0) end = calc(mine, end, e.nanoseconds);
      if (end != kStart) after.push_back(end);
    });
    const auto requires_all = [&](std::uint32_t op) {
      for (const std::uint32_t end : after) mine.add_dependency(op, end, false);
    };
    std::vector<std::uint32_t> received;
    graph_.for_in_edges(v, [&](const Edge& e) {
      if (e.kind != EdgeKind::message) return;
      received.push_back(mine.add({.kind = GoalKind::recv,
                                   .peer = static_cast<std::uint32_t>(ranks_[e.from]),
                                   .tag = number_++,
                                   .size = e.bytes}));
      requires_all(received.back());
    });
    if (!received.empty()) after = received;
    for (std::uint32_t m = receivers_[v]; m < receivers_[v + std::size_t{1}]; ++m) {
      const Sent& sent = messages_[m];
      const std::uint32_t op = mine.add(
          {.kind = GoalKind::send, .peer = sent.to, .tag = sent.number, .size = sent.bytes});
      requires_all(op);
      after.assign(1, op);
    }
    end_of_[v] = after.empty() ? kStart : after.front();
    if (after.size() > 1) {
      end_of_[v] = mine.add({.size = 0});
      requires_all(end_of_[v]);
    }
  }

  struct Sent {
    std::uint32_t to;
    std::uint32_t number;
    std::uint64_t bytes;
  };

  const ExecutionGraph& graph_;
  std::vector<std::int32_t> ranks_;
  std::vector<std::uint32_t> end_of_;  // operation after which each vertex has happened
  std::vector<std::uint32_t> receivers_;
  std::vector<Sent> messages_;
  std::uint32_t number_ = 0;  // of the next message
  GoalProgram program_;
};

}  // namespace

GoalProgram goal_of_graph(const ExecutionGraph& graph) {
  return GoalWriter(graph).write();
}

}  // namespace slackline
