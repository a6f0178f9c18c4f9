#include "graph/goal/goal_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/flat_map.h"
#include "graph/graph_builder.h"
#include "graph/protocol.h"
#include "trace/goal/linearise.h"
#include "trace/goal/order.h"

namespace slackline {
namespace {

/// The main path of each rank of a GOAL program: one chain of moments from its start to its end.
///
/// A GOAL rank may do several things at once, and a breakdown of its time needs one sequence. The
/// chain goes back from the last operation and prefers computation, then what stands last in the
/// file: so it holds as much of the rank's own work as a chain can by looking back one step.
class GoalMainPath {
 public:
  explicit GoalMainPath(const GoalOrder& order);

  bool contains(const GoalMoment& m) const {
    return (on_path_[order_.number(m.place)] >> static_cast<int>(m.step) & 1) != 0;
  }
  /// Which of the dependencies of `place` the path would follow. It has at least one.
  std::size_t preferred(GoalPlace place) const;
  /// Operations of `rank` whose end nothing waits for, the path's own first.
  const std::vector<std::uint32_t>& last_operations(std::uint32_t rank) const {
    return last_[rank];
  }

 private:
  void mark_rank(std::uint32_t rank);

  const GoalOrder& order_;
  std::vector<std::uint8_t> on_path_;  // a bit a step
  std::vector<std::vector<std::uint32_t>> last_;
};

GoalMainPath::GoalMainPath(const GoalOrder& order)
    : order_(order),
      on_path_(order.matches().operation_count(), 0),
      last_(order.program().ranks.size()) {
  for (std::uint32_t r = 0; r < last_.size(); ++r) mark_rank(r);
}

std::size_t GoalMainPath::preferred(GoalPlace place) const {
  const auto before = order_.predecessors(place);
  const auto preference = [&](GoalAdjacency::Entry e) {
    const bool computes =
        e.on_start == 0 && order_.kind({place.rank, e.operation}) == GoalKind::calc;
    return std::pair(computes, std::uint32_t{e.operation});
  };
  const auto best = std::ranges::max_element(before, {}, preference);
  return static_cast<std::size_t>(best - before.begin());
}

void GoalMainPath::mark_rank(std::uint32_t rank) {
  const GoalRank& block = order_.program().ranks[rank];
  std::vector<char> needed(block.size(), 0);
  for (const GoalDependency& d : block.dependencies()) {
    // Waiting for its start says nothing of its end, except for a send that needs no receiver.
    const GoalPlace on{rank, d.on};
    const bool eager_send = order_.kind(on) == GoalKind::send && !order_.rendezvous(on);
    if (d.on_start == 0 || eager_send) needed[d.on] = 1;
  }
  std::vector<std::uint32_t>& last = last_[rank];
  for (std::uint32_t i = 0; i < block.size(); ++i) {
    if (needed[i] == 0) last.push_back(i);
  }
  if (last.empty()) return;
  const auto computes = std::ranges::find_if(
      last.rbegin(), last.rend(), [&](std::uint32_t i) { return block.kind(i) == GoalKind::calc; });
  std::swap(last.front(), computes != last.rend() ? *computes : last.back());
  GoalMoment at;
  GoalAdjacency::Entry entry{last.front() & GoalRank::kMostOperations, 0};
  while (order_.resolve(rank, entry, at)) {
    const auto mark = [&] {
      on_path_[order_.number(at.place)] |=
          static_cast<std::uint8_t>(1 << static_cast<int>(at.step));
    };
    mark();
    if (at.step == GoalStep::completed) {
      at.step = GoalStep::done;
      mark();
    }
    const auto before = order_.predecessors(at.place);
    if (before.empty()) return;
    entry = before[preferred(at.place)];
  }
}

/// A calc in the vertex table that lies on the edges behind it.
constexpr VertexId kFolded = kNoVertex - 1;
/// Up to this many folded calcs in a row are looked through again and again; more get a vertex.
constexpr int kMostFolded = 16;

struct NumberHash {
  std::uint64_t operator()(std::uint32_t number) const { return mix_bits(number); }
};
using Vertices = FlatMap<std::uint32_t, VertexId, NumberHash>;

/// Calls of each rank in the linearisation: sends and receives, a Waitall for the sends, Finalize.
std::vector<std::uint32_t> calls_per_rank(const GoalProgram& program) {
  std::vector<std::uint32_t> calls;
  for (const GoalRank& rank : program.ranks) {
    std::uint32_t transfers = 0;
    bool sends = false;
    for (std::uint32_t i = 0; i < rank.size(); ++i) {
      transfers += rank.kind(i) != GoalKind::calc ? 1 : 0;
      sends = sends || rank.kind(i) == GoalKind::send;
    }
    calls.push_back(transfers + (sends ? 2 : 1));
  }
  return calls;
}

/// Writes the vertices of one program, moment after moment.
class GoalGraphWriter {
 public:
  GoalGraphWriter(const GoalOrder& order, const GraphOptions& options)
      : order_(order),
        options_(options),
        main_path_(order),
        calls_(calls_per_rank(order.program())),
        builder_(calls_),
        next_call_(calls_.size(), 0),
        vertex_(order.matches().operation_count(), kNoVertex) {
    const std::size_t operations = vertex_.size();
    builder_.reserve(operations + 2 * calls_.size(), 3 * operations + calls_.size());
    for (std::uint32_t r = 0; r < calls_.size(); ++r) {
      start_of_rank_.push_back(builder_.vertex(builder_.global_call(static_cast<int>(r), 0)));
    }
  }

  void add(const GoalMoment& moment) {
    switch (moment.step) {
      case GoalStep::start:
        add_start(moment);
        break;
      case GoalStep::completed:
        add_completed(moment);
        break;
      case GoalStep::done:
        add_done(moment);
        break;
    }
  }

  ExecutionGraph finish() && {
    for (std::uint32_t r = 0; r < calls_.size(); ++r) end_rank(r);
    builder_.findings().merge(order_.matches().findings());
    return std::move(builder_).finish();
  }

 private:
  /// `ns` of computation after a vertex; `folded` calcs lie between.
  struct Point {
    VertexId vertex;
    std::int64_t ns;
    int folded;
  };

  /// Where the wait of a dependency ends.
  Point point(std::uint32_t rank, GoalAdjacency::Entry entry) {
    Point result{kNoVertex, 0, 0};
    GoalMoment moment;
    for (;;) {
      if (!order_.resolve(rank, entry, moment)) {
        result.vertex = start_of_rank_[rank];
        return result;
      }
      const std::uint32_t n = order_.number(moment.place);
      if (moment.step != GoalStep::done) {
        result.vertex = *(moment.step == GoalStep::start ? start_ : completed_).find(n);
        return result;
      }
      result.vertex = vertex_[n];
      if (result.vertex != kFolded) return result;
      ++result.folded;
      add_time(result.ns, order_.size(moment.place), rank);
      const auto before = order_.predecessors(moment.place);
      if (before.empty()) {
        result.vertex = start_of_rank_[rank];
        return result;
      }
      entry = before.front();
    }
  }

  static void add_time(std::int64_t& ns, std::uint64_t more, std::uint32_t rank) {
    if (more > static_cast<std::uint64_t>(kTimeLimit_ns - ns)) {
      throw Error("cannot build the execution graph",
                  fmt::format("computation of rank {} lasts longer than 146 years", rank),
                  "Check that the file is complete and its times are in nanoseconds.");
    }
    ns += static_cast<std::int64_t>(more);
  }

  std::uint32_t call_of(std::uint32_t rank) const {
    const std::uint32_t call = std::min(next_call_[rank], calls_[rank] - 1);
    return builder_.global_call(static_cast<std::int32_t>(rank), call);
  }

  /// A vertex behind everything that `place` requires; each wait ends `own_ns` and `overheads`
  /// later. The main path's edge comes first.
  VertexId join(const GoalMoment& moment, std::uint64_t own_ns, std::uint8_t overheads) {
    const std::uint32_t rank = moment.place.rank;
    const VertexId v = builder_.vertex(call_of(rank));
    const auto before = order_.predecessors(moment.place);
    const bool main = main_path_.contains(moment);
    if (before.empty()) {
      local_edge({start_of_rank_[rank], 0, 0}, own_ns, overheads, main, rank);
      return v;
    }
    const std::size_t first = main ? main_path_.preferred(moment.place) : 0;
    local_edge(point(rank, before[first]), own_ns, overheads, main, rank);
    for (std::size_t k = 0; k < before.size(); ++k) {
      if (k != first) local_edge(point(rank, before[k]), own_ns, overheads, false, rank);
    }
    return v;
  }

  void local_edge(Point from, std::uint64_t own_ns, std::uint8_t overheads, bool main,
                  std::uint32_t rank) {
    add_time(from.ns, own_ns, rank);
    builder_.edge({.from = from.vertex,
                   .kind = main ? EdgeKind::compute : EdgeKind::order,
                   .latencies = 0,
                   .overheads = overheads,
                   .nanoseconds = from.ns,
                   .bytes = 0});
  }

  void add_start(const GoalMoment& moment) {
    start_[order_.number(moment.place)] = join(moment, 0, 0);
  }

  void add_done(const GoalMoment& moment) {
    const GoalPlace place = moment.place;
    const std::uint32_t n = order_.number(place);
    switch (order_.kind(place)) {
      case GoalKind::calc: {
        const auto before = order_.predecessors(place);
        const bool fold =
            before.empty() ||
            (before.size() == 1 && point(place.rank, before.front()).folded < kMostFolded);
        vertex_[n] = fold ? kFolded : join(moment, order_.size(place), 0);
        return;
      }
      case GoalKind::send:
        vertex_[n] = join(moment, 0, 1);
        break;
      case GoalKind::recv:
        vertex_[n] = join(moment, 0, 1);
        builder_.edge(receive_edge(message_to(place)));
        break;
    }
    ++next_call_[place.rank];
  }

  /// The message that a receive gets.
  Message message_to(GoalPlace receive) {
    const std::uint32_t n = order_.number(receive);
    if (order_.rendezvous(receive)) return *messages_.find(n);
    const GoalPlace send = order_.partner(receive);
    Message message;
    message.bytes = order_.size(send);
    message.sent = vertex_[order_.number(send)];
    message.local = send.rank == receive.rank;
    builder_.count_message();
    hand_over(message, options_.rendezvous, builder_);
    return message;
  }

  void add_completed(const GoalMoment& moment) {
    const GoalPlace send = moment.place;
    const GoalPlace receive = order_.partner(send);
    const std::uint32_t n = order_.number(send);
    Message message;
    message.bytes = order_.size(send);
    message.sent = vertex_[n];
    message.send_call = call_of(send.rank);
    message.posted.tail = *start_.find(order_.number(receive));
    message.posted.global_call = call_of(receive.rank);
    message.local = send.rank == receive.rank;
    message.rendezvous = true;
    builder_.count_message();
    hand_over(message, options_.rendezvous, builder_);
    messages_[order_.number(receive)] = message;
    const VertexId v = builder_.vertex(message.send_call);
    local_edge({vertex_[n], 0, 0}, 0, 0, main_path_.contains(moment), send.rank);
    builder_.edge(send_edge(message, options_.rendezvous));
    completed_[n] = v;
  }

  void end_rank(std::uint32_t rank) {
    const auto rank_number = static_cast<std::int32_t>(rank);
    const std::vector<std::uint32_t>& last = main_path_.last_operations(rank);
    if (last.empty()) {
      builder_.end_rank(rank_number, start_of_rank_[rank], 0);
      return;
    }
    const auto end_of = [&](std::uint32_t operation) {
      return point(rank, {operation & GoalRank::kMostOperations, 0});
    };
    if (last.size() == 1) {
      const Point end = end_of(last.front());
      builder_.end_rank(rank_number, end.vertex, end.ns);
      return;
    }
    const VertexId v = builder_.vertex(call_of(rank));
    for (const std::uint32_t operation : last) {
      local_edge(end_of(operation), 0, 0, operation == last.front(), rank);
    }
    builder_.end_rank(rank_number, v, 0);
  }

  const GoalOrder& order_;
  const GraphOptions& options_;
  GoalMainPath main_path_;
  std::vector<std::uint32_t> calls_;
  GraphBuilder builder_;
  std::vector<std::uint32_t> next_call_;
  std::vector<VertexId> start_of_rank_;
  std::vector<VertexId> vertex_;  // of each operation's `done`
  Vertices start_;
  Vertices completed_;
  FlatMap<std::uint32_t, Message, NumberHash> messages_;  // rendezvous, by receive
};

}  // namespace

GoalGraph build_goal_graph(const GoalProgram& program, std::string_view name,
                           const GraphOptions& options, GoalTrace trace) {
  const GoalMatches matches(program, name);
  GoalOrder order(program, matches, options.eager_threshold_bytes);
  GoalGraphWriter writer(order, options);
  if (trace == GoalTrace::none) {
    order.walk([&](const GoalMoment& moment) { writer.add(moment); });
    return {std::move(writer).finish(), std::nullopt};
  }
  GoalLinearisation lines(program);
  order.walk([&](const GoalMoment& moment) {
    writer.add(moment);
    lines.add(order, moment);
  });
  return {std::move(writer).finish(), std::move(lines).finish(matches.findings())};
}

}  // namespace slackline
