#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "timing/linear_cost.h"
#include "timing/passes/kernel.h"
#include "timing/reduced_graph.h"
#include "timing/ticks.h"

namespace slackline {

/// A reduced graph with one parameter left, ready for passes: T's line at any value of it.
///
/// One pass costs O(nodes + edges) of the reduced graph. Values asked for together share passes,
/// eight at a time where 64 bits suffice. Everything is exact; the narrowest arithmetic that
/// provably fits is taken: one 64-bit number that carries value and slope, a pair of 64-bit
/// numbers, a pair with 128 bits for the value.
class PathProgram {
 public:
  struct Query {
    Ticks x;
    Side side = Side::right;
  };

  /// For LogGPS, from a reduction that serves all parameters. O(edges).
  PathProgram(const ReducedGraph<LogGPSForm>& reduced, const LinearCost& cost);
  explicit PathProgram(const ReducedGraph<LinearForm>& reduced);

  /// The line of T at each of the values. `threads`: 0 takes all.
  std::vector<PathLine> lines_at(std::span<const Query> queries, unsigned threads = 1) const;

  /// T at zero, in ticks.
  Int128 value_at_zero() const { return at_zero_; }
  /// The most multiples of the parameter on any path.
  std::int64_t steepest() const { return steepest_; }
  std::size_t node_count() const { return nodes_.size(); }
  std::size_t edge_count() const { return wide_.empty() ? edges_.size() : wide_.size(); }

 private:
  struct WideEdge {
    Int128 fixed;
    std::int64_t multiples;
    std::uint32_t source;
  };
  /// A query as a point just beside x, where value and slope are one number.
  struct Encoded {
    std::int64_t q;
    std::int64_t p;
  };

  template <class Term>
  void bind_edges(const std::vector<std::uint32_t>& sources, bool narrow, Term term);
  void survey();
  void survey_64();
  template <class Edges>
  void survey_128(const Edges& edges);
  passes::Program program() const { return {nodes_.data(), nodes_.size(), edges_.data()}; }
  bool encode(const Query& query, Encoded& encoded) const;
  PathLine decode(const Query& query, std::int64_t value) const;
  bool fits_64(const Ticks& x) const;
  PathLine line_by_pair(const Query& query) const;
  template <class Edges>
  PathLine line_by_wide_pair(const Query& query, const Edges& edges) const;

  std::vector<passes::Node> nodes_;
  std::vector<passes::Edge> edges_;  // or, when one of them does not fit, wide_
  std::vector<WideEdge> wide_;
  std::uint32_t slots_ = 1;
  Int128 at_zero_ = 0;
  std::int64_t steepest_ = 0;
};

}  // namespace slackline
