// Exact longest paths, many values at a time.
//
// At x = p/q every path costs a multiple of 1/q tick, so a pass computes max-plus sums of
// fixed * q + multiples * p in integers. Which of several equally long paths counts (the steepest
// for the right derivative, the flattest for the left one) needs no second number: take the value
// not at x but at x +- 1/(K q) for a K above every slope. With q' = K q and p' = K p +- 1 the pass
// gives T(x) q K +- slope, of which T(x) q and the slope are read off. That is one multiplication
// more in the preparation and none in the pass, so eight values fit in a vector register as bare
// maxima of sums.
//
// The sum must fit in 63 bits. T(x) <= T(0) + steepest * x is known after two lanes of the first
// pass (x = 0, and slopes alone), so whether it fits is decided before the pass, not during it.
// Where it does not, value and slope are carried side by side, in 64 or 128 bits.

#include "timing/path_program.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"

namespace slackline {
namespace {

constexpr Int128 kMost64 = std::numeric_limits<std::int64_t>::max() / 2;
constexpr Int128 kMost32 = std::numeric_limits<std::uint32_t>::max();
/// Fewer values than this are not worth a vector pass.
constexpr std::size_t kWorthLanes = 2;

Int128 round_down(Int128 a, Int128 b) {
  const Int128 quotient = a / b;
  return quotient - (a % b < 0 ? 1 : 0);
}

/// kLanes numbers a slot, aligned as vectors want them.
class LaneState {
 public:
  explicit LaneState(std::size_t slots) : lanes_(slots) {}
  std::int64_t* data() { return lanes_.front().values; }

 private:
  struct alignas(64) Slot {
    std::int64_t values[passes::kLanes] = {};
  };
  std::vector<Slot> lanes_;
};

PathLine make_line(Int128 scaled_value, std::int64_t slope, const Ticks& x) {
  return {(scaled_value - Int128{slope} * x.numerator) / x.denominator, slope};
}

}  // namespace

/// The edges by term(i), which gives the cost of edge i; `narrow`: all of them fit in 64 and 32
/// bits.
template <class Term>
void PathProgram::bind_edges(const std::vector<std::uint32_t>& sources, bool narrow, Term term) {
  if (narrow) {
    edges_.resize(sources.size());
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const auto [fixed, multiples] = term(i, std::int64_t{});
      edges_[i] = {fixed, static_cast<std::uint32_t>(multiples), sources[i]};
    }
  } else {
    wide_.resize(sources.size());
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const auto [fixed, multiples] = term(i, Int128{});
      wide_[i] = {fixed, static_cast<std::int64_t>(multiples), sources[i]};
    }
  }
  survey();
}

PathProgram::PathProgram(const ReducedGraph<LogGPSForm>& reduced, const LinearCost& cost)
    : nodes_(reduced.nodes), slots_(reduced.slots) {
  // The cost is linear in what a form counts: its terms for one ns, one L, one o and one byte say
  // all.
  const auto unit = [&](const Edge& e) { return cost.term(e, 0, 0); };
  const LinearTerm ns = unit({0, EdgeKind::compute, 0, 0, 1, 0});
  const LinearTerm latency = unit({0, EdgeKind::protocol, 1, 0, 0, 0});
  const LinearTerm overhead = unit({0, EdgeKind::protocol, 0, 1, 0, 0});
  const LinearTerm byte = unit({0, EdgeKind::protocol, 0, 0, 0, 2});
  const auto term = [&](const LogGPSForm& f, auto number) {
    using Number = decltype(number);
    const auto sum = [&](auto price) {
      return static_cast<Number>(price(ns)) * f.nanoseconds +
             static_cast<Number>(price(latency)) * f.latencies +
             static_cast<Number>(price(overhead)) * f.overheads +
             static_cast<Number>(price(byte)) * f.bytes;
    };
    return std::pair(sum([](const LinearTerm& t) { return t.fixed_ticks; }),
                     sum([](const LinearTerm& t) { return t.multiples; }));
  };
  const auto [most_fixed, most_multiples] = term(largest_counts(reduced), Int128{});
  bind_edges(reduced.sources, most_fixed < kMost64 && most_multiples <= kMost32,
             [&](std::size_t i, auto number) { return term(reduced.forms[i], number); });
}

PathProgram::PathProgram(const ReducedGraph<LinearForm>& reduced)
    : nodes_(reduced.nodes), slots_(reduced.slots) {
  const bool narrow = std::ranges::all_of(reduced.forms, [](const LinearForm& f) {
    return f.fixed < kMost64 && f.multiples <= kMost32;
  });
  bind_edges(reduced.sources, narrow, [&](std::size_t i, auto number) {
    const LinearForm& f = reduced.forms[i];
    return std::pair(static_cast<decltype(number)>(f.fixed), f.multiples);
  });
}

/// T(0), and the largest slope. In 64 bits when not even the sum of all edges leaves them.
void PathProgram::survey() {
  if (!wide_.empty()) {
    survey_128(wide_);
    return;
  }
  Int128 fixed = 0;
  Int128 multiples = 0;
  for (const passes::Edge& e : edges_) {
    fixed += e.fixed;
    multiples += e.multiples;
  }
  if (fixed < kMost64 && multiples < kMost64) {
    survey_64();
  } else {
    survey_128(edges_);
  }
}

void PathProgram::survey_64() {
  const std::array<std::int64_t, passes::kLanes> q{1};
  const std::array<std::int64_t, passes::kLanes> p{0, 1};
  LaneState state(slots_);
  passes::lanes_pass()(program(), state.data(), q.data(), p.data());
  const std::int64_t* end = state.data() + passes::kLanes * std::size_t{nodes_.back().target};
  at_zero_ = end[0];
  steepest_ = end[1];
}

template <class Edges>
void PathProgram::survey_128(const Edges& edges) {
  std::vector<Int128> value(slots_, 0);
  std::vector<std::int64_t> slope(slots_, 0);
  auto e = edges.begin();
  for (const passes::Node& node : nodes_) {
    Int128 latest = 0;
    std::int64_t steepest = 0;
    for (const auto end = e + node.edges; e != end; ++e) {
      latest = std::max(latest, value[e->source] + e->fixed);
      steepest = std::max(steepest, slope[e->source] + static_cast<std::int64_t>(e->multiples));
    }
    value[node.target] = latest;
    slope[node.target] = steepest;
  }
  at_zero_ = value[nodes_.back().target];
  steepest_ = slope[nodes_.back().target];
}

bool PathProgram::encode(const Query& query, Encoded& encoded) const {
  if (!wide_.empty() || !fits_64(query.x)) return false;
  const Int128 k = Int128{steepest_} + 1;
  const Int128 q = query.x.denominator * k;
  const Int128 p = query.x.numerator * k + (query.side == Side::right ? 1 : -1);
  const Int128 most =
      (at_zero_ * query.x.denominator + Int128{steepest_} * query.x.numerator + 1) * k;
  if (most >= kMost64 || q >= kMost64 || p >= kMost64 || p < 0) return false;
  encoded = {static_cast<std::int64_t>(q), static_cast<std::int64_t>(p)};
  return true;
}

PathLine PathProgram::decode(const Query& query, std::int64_t value) const {
  const Int128 k = Int128{steepest_} + 1;
  const bool right = query.side == Side::right;
  const Int128 scaled = right ? round_down(value, k) : -round_down(-Int128{value}, k);
  const Int128 slope = right ? value - scaled * k : scaled * k - value;
  return make_line(scaled, static_cast<std::int64_t>(slope), query.x);
}

/// Does T(x) q fit in 64 bits, and with it every sum of the pass?
bool PathProgram::fits_64(const Ticks& x) const {
  if (x.denominator >= kMost64 || x.numerator >= kMost64) return false;
  // Products stay below 2^127: T(0) is a sum of at most 2^32 edges.
  const Int128 limit = kMost64;
  if (at_zero_ > limit / x.denominator) return false;
  if (steepest_ > 0 && x.numerator > limit / steepest_) return false;
  return at_zero_ * x.denominator + Int128{steepest_} * x.numerator < limit;
}

PathLine PathProgram::line_by_pair(const Query& query) const {
  std::vector<std::int64_t> state(2 * std::size_t{slots_}, 0);
  passes::run_with_slope(program(), state.data(), static_cast<std::int64_t>(query.x.denominator),
                         static_cast<std::int64_t>(query.x.numerator), query.side == Side::right);
  const std::int64_t* end = state.data() + 2 * std::size_t{nodes_.back().target};
  return make_line(end[0], end[1], query.x);
}

template <class Edges>
PathLine PathProgram::line_by_wide_pair(const Query& query, const Edges& edges) const {
  struct Value {
    Int128 scaled = 0;
    std::int64_t slope = 0;
  };
  std::vector<Value> state(slots_);
  const std::int64_t sign = query.side == Side::right ? 1 : -1;
  auto e = edges.begin();
  for (const passes::Node& node : nodes_) {
    Value latest{-1, 0};
    for (const auto end = e + node.edges; e != end; ++e) {
      const auto multiples = static_cast<std::int64_t>(e->multiples);
      const Value candidate{
          state[e->source].scaled + e->fixed * query.x.denominator + multiples * query.x.numerator,
          state[e->source].slope + multiples};
      if (candidate.scaled > latest.scaled ||
          (candidate.scaled == latest.scaled && sign * candidate.slope > sign * latest.slope)) {
        latest = candidate;
      }
    }
    state[node.target] = latest;
  }
  const Value& end = state[nodes_.back().target];
  return make_line(end.scaled, end.slope, query.x);
}

std::vector<PathLine> PathProgram::lines_at(std::span<const Query> queries,
                                            unsigned threads) const {
  std::vector<PathLine> lines(queries.size());
  std::vector<std::size_t> encodable;
  std::vector<Encoded> encoded;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    Encoded e{};
    if (encode(queries[i], e)) {
      encodable.push_back(i);
      encoded.push_back(e);
    } else if (wide_.empty() && fits_64(queries[i].x)) {
      lines[i] = line_by_pair(queries[i]);
    } else {
      lines[i] = wide_.empty() ? line_by_wide_pair(queries[i], edges_)
                               : line_by_wide_pair(queries[i], wide_);
    }
  }
  const std::size_t end_slot = nodes_.back().target;
  if (encodable.size() < kWorthLanes) {
    std::vector<std::int64_t> state(slots_, 0);
    for (std::size_t k = 0; k < encodable.size(); ++k) {
      passes::run_single(program(), state.data(), encoded[k].q, encoded[k].p);
      lines[encodable[k]] = decode(queries[encodable[k]], state[end_slot]);
    }
    return lines;
  }
  const std::size_t batches = (encodable.size() + passes::kLanes - 1) / passes::kLanes;
  parallel_for(
      batches,
      [&](std::size_t batch) {
        const std::size_t first = batch * passes::kLanes;
        const std::size_t count = std::min(passes::kLanes, encodable.size() - first);
        std::array<std::int64_t, passes::kLanes> q{};
        std::array<std::int64_t, passes::kLanes> p{};
        for (std::size_t k = 0; k < count; ++k) {
          q[k] = encoded[first + k].q;
          p[k] = encoded[first + k].p;
        }
        LaneState state(slots_);
        passes::lanes_pass()(program(), state.data(), q.data(), p.data());
        for (std::size_t k = 0; k < count; ++k) {
          const std::size_t i = encodable[first + k];
          lines[i] = decode(queries[i], state.data()[end_slot * passes::kLanes + k]);
        }
      },
      threads);
  return lines;
}

}  // namespace slackline
