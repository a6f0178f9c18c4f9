#pragma once

#include <cstdint>
#include <vector>

#include "graph/execution_graph.h"

namespace slackline {

/// What an edge's own work is, so that it can be compared with other ranks'.
enum class WorkKind : std::uint8_t { none, cpu, activity };

/// A dependence between two moments: `rest_ns` + `work_ns`, and what a message costs.
struct MomentEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::int64_t rest_ns = 0;
  std::int64_t work_ns = 0;
  WorkKind work = WorkKind::none;
  std::uint32_t call = 0;      ///< whose work: number of the runtime call
  std::int64_t bytes = -1;     ///< of a message or of a busy link; -1: neither
  std::uint8_t latencies = 0;  ///< 1: a message

  std::int64_t ns() const { return rest_ns + work_ns; }
};

/// What happens at a moment. `transfer`: a message of a collective has come.
enum class MomentKind : std::uint8_t {
  start,
  call,
  call_return,
  activity_begin,
  activity_end,
  transfer,
  end
};

/// A moment of a rank, by what happens then.
struct TrainingMoment {
  std::uint32_t rank = 0;    ///< index in TrainingRun::ranks
  std::int64_t time_fs = 0;  ///< from the run's begin, as measured
  MomentKind kind = MomentKind::start;
  std::uint32_t index = 0;  ///< of the runtime call or the activity
};

/// A point in time of a rank, where it was measured.
struct Moment : TrainingMoment {
  bool fitted = true;               ///< its edges are to explain its time
  std::uint32_t chain = kNoVertex;  ///< edge of the rank's own order
};

/// Moments of a run and what they wait for, in any order, until they become an ExecutionGraph.
class Moments {
 public:
  std::uint32_t add(const TrainingMoment& moment, bool fitted = true);
  std::uint32_t edge(const MomentEdge& edge);
  /// The edge of the rank's own path into its moment, where fit() is not to choose one.
  void follow(std::uint32_t edge) { moments_[edges_[edge].to].chain = edge; }
  std::int64_t time_fs(std::uint32_t moment) const { return moments_[moment].time_fs; }
  std::int64_t time_ns(std::uint32_t moment) const;
  std::vector<MomentEdge>& edges() { return edges_; }
  std::uint32_t rank(std::uint32_t moment) const { return moments_[moment].rank; }

  /// Makes each fitted moment's edges explain its time: none is later, and the latest pays the
  /// rest.
  void fit();
  /// `starts` and `ends`: the first and last moment of each rank. Moments that wait for each other
  /// lose an edge. `of_vertices` becomes what each vertex stands for.
  ExecutionGraph graph(const std::vector<std::uint32_t>& starts,
                       const std::vector<std::uint32_t>& ends,
                       std::vector<TrainingMoment>& of_vertices) const;

 private:
  std::vector<std::vector<std::uint32_t>> edges_into() const;
  std::vector<std::uint32_t> order(const std::vector<std::vector<std::uint32_t>>& into) const;
  std::vector<bool> main_paths(const std::vector<std::uint32_t>& ends) const;

  std::vector<Moment> moments_;
  std::vector<MomentEdge> edges_;
};

}  // namespace slackline
