#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "timing/cost/linear_cost.h"
#include "timing/cost/ticks.h"
#include "timing/passes/kernel.h"
#include "timing/reduction/reduced_graph.h"

namespace slackline {

/// A reduced graph with one parameter left, ready for passes: T's line at any value of it.
///
/// One pass costs O(nodes + edges) of the reduced graph. Values asked for together share passes,
/// eight at a time where 64 bits suffice. Everything is exact; the narrowest arithmetic that
/// provably fits is taken: one 64-bit number that carries value and slope, a line of two 64-bit
/// numbers, a pair with 128 bits for the value.
class PathProgram {
 public:
  struct Query {
    Ticks x;
    Side side = Side::right;
  };

  /// For LogGPS, from a reduction that serves all parameters: nothing is copied, O(1).
  PathProgram(ReducedLogGPS reduced, const LinearCost& cost);
  explicit PathProgram(const ReducedGraph<LinearForm>& reduced);

  /// The line of T at each of the values. `threads`: 0 takes all.
  std::vector<PathLine> lines_at(std::span<const Query> queries, unsigned threads = 1) const;

  /// All lines of T in [from, to], in order, neither twice; from < to. Empty when `stop`, which is
  /// asked now and then, says true, or when the numbers do not fit in 64 bits. Needs price_edges().
  /// Costs as much as some tens of passes, however many lines there are
  /// (piecewise/interval_pass.h).
  std::optional<std::vector<PathLine>> lines_between(const Ticks& from, const Ticks& to,
                                                     const std::function<bool()>& stop,
                                                     unsigned threads = 1) const;

  /// For many queries: gives each edge of a LogGPS reduction its price, in 16 bytes where it fits.
  /// Passes take half the time afterwards; this takes as long as some four of them. Nothing happens
  /// to a reduction that does not fit in memory.
  void price_edges();

  /// T at zero, in ticks, or a little more.
  Int128 most_at_zero() const { return most_at_zero_; }
  /// The most multiples of the parameter on any path.
  std::int64_t steepest() const { return steepest_; }

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
  /// What one of each of a LogGPS form's counts costs.
  struct Prices {
    LinearTerm nanosecond;
    LinearTerm byte;
    LinearTerm latency;
    LinearTerm overhead;
  };

  void compute_bounds();
  void compute_bounds_64();
  template <class Edges>
  void compute_bounds_128(const Edges& edges);
  passes::Program program() const { return {nodes_.data(), nodes_.size(), edges_.data()}; }
  bool rates(std::int64_t q, std::int64_t p, passes::Rates& rates) const;
  bool encode(const Query& query, Encoded& encoded) const;
  PathLine decode(const Query& query, std::int64_t value) const;
  bool fits_64(const Ticks& x) const;
  bool values_fit_61(const Ticks& x) const;
  void single_pass(const Encoded& encoded, std::int64_t* state) const;
  void lanes_pass(std::span<const Encoded> encoded, std::int64_t* state) const;
  bool fits_lines(const Query& query) const;
  void lines_pass(std::span<const Query* const> queries, std::span<PathLine* const> lines) const;
  void lines_apart(std::span<const Query* const> queries, std::span<PathLine* const> lines,
                   unsigned threads) const;
  std::optional<PathLine> line_by_pair(const Query& query) const;
  PathLine line_by_wide_pair(const Query& query) const;
  template <class EdgeAt>
  PathLine line_by_wide_pair(const Query& query, std::span<const passes::Node> nodes,
                             EdgeAt edge_at) const;
  std::size_t end_slot() const {
    return reduced_ ? reduced_->nodes.back().target : nodes_.back().target;
  }

  /// One of three: counts that prices_ turn into costs while a pass reads them; costs in 16 bytes;
  /// or costs in 32 when one of them needs that.
  std::optional<ReducedLogGPS> reduced_;
  Prices prices_;
  std::vector<passes::Node> nodes_;  // of the other two
  std::vector<passes::Edge> edges_;
  std::vector<WideEdge> wide_;
  std::uint32_t slots_ = 1;
  Int128 most_at_zero_ = 0;
  std::int64_t steepest_ = 0;
};

}  // namespace slackline
