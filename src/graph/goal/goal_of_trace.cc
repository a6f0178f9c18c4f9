// From a program's eager graph, and where its messages are posted and completed, to GOAL.
//
// The problem: a graph says what must wait for what under one protocol. A GOAL program is run under
// any, so it must hold what the protocols need: where a receive is posted, which a rendezvous waits
// for, and where a sender waits for its message, which is not where it goes on.
//
// The idea: every vertex becomes the operation after which it has happened. A send is the operation
// of its hand-over; what follows on the rank's path waits for its start only (irequires), and the
// vertex where the sender waits for its completion requires it. A receive requires the place where
// it was posted, and the vertex that it completes requires the receive.
//
// Computation after a vertex is one chain of calcs, cut where something begins in the middle of it
// (a receive is posted, a nonblocking collective starts): two calcs beside each other would be done
// by turns where the program has one processor a rank.

#include "graph/goal/goal_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "graph/message_log.h"

namespace slackline {
namespace {

constexpr FindingKind kSendModes{
    "goal_send_modes", Severity::notice,
    "Synchronous sends of at most S bytes and buffered sends of more, written as plain sends "
    "because GOAL has no send modes: without their handshake, or with one, predictions differ."};

constexpr std::uint32_t kNoOperation = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kUnsent = kNoOperation;

/// What an operation waits for: another's end or start. Nothing at a rank's start.
struct Awaited {
  std::uint32_t operation = kNoOperation;
  bool on_start = false;
};

/// Calls visit(edge) for what comes before `v` in program order. Its first edge is its own path's;
/// of the others those with an o are bounds of posted receives, which are in the receives.
template <class Visit>
void for_program_order(const ExecutionGraph& graph, VertexId v, Visit visit) {
  bool first = true;
  graph.for_in_edges(v, [&](const Edge& e) {
    if (has_nanoseconds(e.kind) && (first || e.overheads == 0)) visit(e);
    first = false;
  });
}

bool is_probe(const Edge& e) {
  return e.kind == EdgeKind::message && e.overheads == 0;
}

/// The places in the computation after each vertex where something else waits, as one chain of
/// calcs each.
class ComputationPoints {
 public:
  explicit ComputationPoints(const EagerGraph& program)
      : first_(program.graph.vertex_count() + 1, 0) {
    for_points(program, [&](VertexId tail, std::int64_t) { ++first_[tail + std::size_t{1}]; });
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    offset_ns_.resize(first_.back());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for_points(program, [&](VertexId tail, std::int64_t ns) { offset_ns_[next[tail]++] = ns; });
    operation_.resize(offset_ns_.size(), kNoOperation);
  }

  /// Writes the calcs after `tail`, which has happened after `end`.
  void write(VertexId tail, Awaited end, GoalRank& rank) {
    std::sort(offset_ns_.begin() + first_[tail],
              offset_ns_.begin() + first_[tail + std::size_t{1}]);
    std::int64_t reached_ns = 0;
    for (std::uint32_t p = first_[tail]; p < first_[tail + std::size_t{1}]; ++p) {
      if (offset_ns_[p] > reached_ns) {
        const auto ns = static_cast<std::uint64_t>(offset_ns_[p] - reached_ns);
        const std::uint32_t calc = rank.add({.size = ns});
        if (end.operation != kNoOperation) {
          rank.add_dependency(calc, end.operation, end.on_start);
        }
        end = {calc, false};
        reached_ns = offset_ns_[p];
      }
      operation_[p] = end.operation;
    }
  }

  /// The calc that ends `ns` > 0 after `tail`.
  Awaited at(VertexId tail, std::int64_t ns) const {
    const auto begin = offset_ns_.begin();
    const auto found =
        std::lower_bound(begin + first_[tail], begin + first_[tail + std::size_t{1}], ns);
    return {operation_[static_cast<std::size_t>(found - begin)], false};
  }

 private:
  template <class Visit>
  static void for_points(const EagerGraph& program, Visit visit) {
    const ExecutionGraph& graph = program.graph;
    for (VertexId v = 0; v < graph.vertex_count(); ++v) {
      for_program_order(graph, v, [&](const Edge& e) {
        if (e.nanoseconds > 0) visit(e.from, e.nanoseconds);
      });
    }
    for (const LoggedMessage& m : program.messages) {
      if (m.received() && m.posted.gap_ns > 0) visit(m.posted.tail, m.posted.gap_ns);
    }
    for (std::int32_t r = 0; r < graph.ranks(); ++r) {
      if (graph.tail_ns(r) > 0) visit(graph.last_vertex(r), graph.tail_ns(r));
    }
  }

  std::vector<std::uint32_t> first_;      // of each vertex, and one past the end
  std::vector<std::int64_t> offset_ns_;   // sorted by write()
  std::vector<std::uint32_t> operation_;  // that ends there
};

/// Vertex after vertex; as they stand in topological order, every operation comes after what it
/// requires.
class GoalWriter {
 public:
  explicit GoalWriter(const EagerGraph& program)
      : graph_(program.graph),
        messages_(program.messages),
        points_(program),
        vertex_ranks_(slackline::vertex_ranks(program.graph)),
        end_of_(graph_.vertex_count()),
        message_of_(graph_.vertex_count(), kUnsent),
        send_of_(messages_.size(), kNoOperation),
        receive_of_(messages_.size(), kNoOperation) {
    result_.ranks.resize(static_cast<std::size_t>(graph_.ranks()));
    for (std::uint32_t m = 0; m < messages_.size(); ++m) {
      message_of_[messages_[m].sent] = m;
    }
    sort_completions();
  }

  GoalProgram write() && {
    for (VertexId v = 0; v < graph_.vertex_count(); ++v) write_vertex(v);
    // A receive that nobody waits for still takes its message.
    for (std::uint32_t m = 0; m < messages_.size(); ++m) {
      if (messages_[m].received()) receive(m);
    }
    for (GoalRank& rank : result_.ranks) rank.shrink();
    return std::move(result_);
  }

 private:
  /// By vertex, and at one vertex by number: vertices are counted, which takes no comparisons.
  void sort_completions() {
    std::vector<std::uint32_t> place(graph_.vertex_count() + 1, 0);
    const auto for_completed = [&](auto visit) {
      for (std::uint32_t m = 0; m < messages_.size(); ++m) {
        if (messages_[m].completed != kNoVertex) visit(m, messages_[m].completed);
      }
    };
    for_completed([&](std::uint32_t, VertexId v) { ++place[v + std::size_t{1}]; });
    for (std::size_t v = 1; v < place.size(); ++v) place[v] += place[v - 1];
    completions_.resize(place.back());
    for_completed([&](std::uint32_t m, VertexId v) { completions_[place[v]++] = m; });
  }

  GoalRank& rank_of(VertexId v) {
    return result_.ranks[static_cast<std::size_t>(vertex_ranks_[v])];
  }

  Awaited point(VertexId tail, std::int64_t ns) const {
    return ns > 0 ? points_.at(tail, ns) : end_of_[tail];
  }

  static void require(GoalRank& rank, std::uint32_t operation, Awaited awaited) {
    if (awaited.operation == kNoOperation) return;
    rank.add_dependency(operation, awaited.operation, awaited.on_start);
  }

  /// The end of an operation includes its start. All are of one rank.
  void await(Awaited awaited) {
    if (awaited.operation == kNoOperation) return;
    if (place_.size() <= awaited.operation) place_.resize(2 * awaited.operation + std::size_t{1});
    std::size_t& place = place_[awaited.operation];
    if (place < awaited_.size() && awaited_[place].operation == awaited.operation) {
      awaited_[place].on_start = awaited_[place].on_start && awaited.on_start;
    } else {
      place = awaited_.size();
      awaited_.push_back(awaited);
    }
  }

  void require_all(GoalRank& rank, std::uint32_t operation) const {
    for (const Awaited& awaited : awaited_) require(rank, operation, awaited);
  }
  /// Only what comes before the vertex in program order.
  void require_program_order(GoalRank& rank, std::uint32_t operation) const {
    for (std::size_t i = 0; i < in_program_order_; ++i) require(rank, operation, awaited_[i]);
  }

  /// The receive of message m, posted where the program posts it or, after a probe and of one-sided
  /// communication, where it is waited for.
  Awaited receive(std::uint32_t m, bool probed = false) {
    if (receive_of_[m] == kNoOperation) {
      const LoggedMessage& message = messages_[m];
      GoalRank& rank = result_.ranks[static_cast<std::size_t>(message.destination)];
      receive_of_[m] = rank.add({.kind = GoalKind::recv,
                                 .peer = static_cast<std::uint32_t>(vertex_ranks_[message.sent]),
                                 .tag = m,
                                 .size = message.bytes});
      if (probed) {
        require_program_order(rank, receive_of_[m]);
      } else {
        require(rank, receive_of_[m], point(message.posted.tail, message.posted.gap_ns));
      }
    }
    return {receive_of_[m], false};
  }

  void write_vertex(VertexId v) {
    awaited_.clear();
    for_program_order(graph_, v, [&](const Edge& e) { await(point(e.from, e.nanoseconds)); });
    in_program_order_ = awaited_.size();
    graph_.for_in_edges(v, [&](const Edge& e) {
      if (e.kind != EdgeKind::message) return;
      const std::uint32_t m = message_of_[e.from];
      if (messages_[m].received()) await(receive(m, is_probe(e)));
    });
    for (; completed_ < completions_.size() && messages_[completions_[completed_]].completed == v;
         ++completed_) {
      await({send_of_[completions_[completed_]], false});
    }
    end_of_[v] = write_end(v);
    points_.write(v, end_of_[v], rank_of(v));
  }

  /// The operation after which v has happened.
  Awaited write_end(VertexId v) {
    GoalRank& rank = rank_of(v);
    const std::uint32_t m = message_of_[v];
    if (m != kUnsent && messages_[m].received()) {
      send_of_[m] = rank.add({.kind = GoalKind::send,
                              .peer = static_cast<std::uint32_t>(messages_[m].destination),
                              .tag = m,
                              .size = messages_[m].bytes});
      require_all(rank, send_of_[m]);
      return {send_of_[m], true};
    }
    if (awaited_.empty()) return {};
    if (awaited_.size() == 1) return awaited_.front();
    const std::uint32_t join = rank.add({.size = 0});
    require_all(rank, join);
    return {join, false};
  }

  const ExecutionGraph& graph_;
  const MessageLog& messages_;
  ComputationPoints points_;
  std::vector<std::int32_t> vertex_ranks_;
  std::vector<Awaited> end_of_;                      // after which each vertex has happened
  std::vector<std::uint32_t> message_of_;            // that a vertex hands over
  std::vector<std::uint32_t> send_of_, receive_of_;  // operations of each message
  std::vector<std::uint32_t> completions_;  // messages by the vertex that completes their send
  std::size_t completed_ = 0;               // of those
  std::vector<Awaited> awaited_;            // scratch of write_vertex
  std::size_t in_program_order_ = 0;        // how many of them, from the first
  std::vector<std::size_t> place_;  // in awaited_, by operation; where another one is: in none
  GoalProgram result_;
};

void count_send_modes(const MessageLog& messages, Findings& findings) {
  const auto lost = std::ranges::count_if(messages, &LoggedMessage::own_protocol);
  if (lost == 0) return;
  findings.add(kSendModes,
               fmt::format("{} of {} messages, {:.3g} %", lost, messages.size(),
                           100 * static_cast<double>(lost) / static_cast<double>(messages.size())),
               static_cast<std::uint64_t>(lost));
}

}  // namespace

GoalProgram goal_of_trace(const Trace& trace, const GraphOptions& options, Findings& findings) {
  const EagerGraph program = build_eager_graph(trace, options);
  findings.merge(program.graph.findings());
  count_send_modes(program.messages, findings);
  return GoalWriter(program).write();
}

}  // namespace slackline
