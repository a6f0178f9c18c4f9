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
// The sum must fit in 63 bits. T(x) <= T(0) + steepest * x is known after two lanes of one pass
// (x = 0, and slopes alone; of LogGPS the reduction knows as much), so whether it fits is decided
// before the pass, not during it. Where it does not, several values are found together as lines
// (passes/lines.inc); of a single one, value and slope are carried side by side, in 64 or 128 bits.
//
// From a LogGPS reduction a pass reads the counts and multiplies them by their prices itself: four
// multiplications an edge instead of two, but no other copy of the graph has to be written and read
// first, which costs more than all passes of most questions.

#include "timing/path_program.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "timing/passes/lane_state.h"

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

PathLine make_line(Int128 scaled_value, std::int64_t slope, const Ticks& x) {
  return {(scaled_value - Int128{slope} * x.numerator) / x.denominator, slope};
}

}  // namespace

PathProgram::PathProgram(ReducedLogGPS reduced, const LinearCost& cost)
    : reduced_(std::move(reduced)), slots_(reduced_->slots) {
  // The cost is linear in what a form counts: its terms for one ns, one L, one o and one byte say
  // all.
  const auto unit = [&](const Edge& e) { return cost.term(e, 0, 0); };
  prices_ = {.nanosecond = unit({0, EdgeKind::compute, 0, 0, 1, 0}),
             .byte = unit({0, EdgeKind::protocol, 0, 0, 0, 2}),
             .latency = unit({0, EdgeKind::protocol, 1, 0, 0, 0}),
             .overhead = unit({0, EdgeKind::protocol, 0, 1, 0, 0})};
  // No path has more than the most of each, and T(0) only has to be bounded.
  const LogGPSForm& most = reduced_->longest;
  const auto sum = [&](auto price) {
    return price(prices_.nanosecond) * most.nanoseconds + price(prices_.byte) * most.bytes +
           price(prices_.latency) * most.latencies + price(prices_.overhead) * most.overheads;
  };
  most_at_zero_ = sum([](const LinearTerm& t) { return t.fixed_ticks; });
  // One count is the parameter's, so this is the slope of a path.
  steepest_ =
      static_cast<std::int64_t>(sum([](const LinearTerm& t) { return Int128{t.multiples}; }));
}

PathProgram::PathProgram(const ReducedGraph<LinearForm>& reduced)
    : nodes_(reduced.nodes), slots_(reduced.slots) {
  const bool narrow = std::ranges::all_of(reduced.forms, [](const LinearForm& f) {
    return f.fixed < kMost64 && f.multiples <= kMost32;
  });
  const std::size_t count = reduced.forms.size();
  (narrow ? edges_.resize(count) : wide_.resize(count));
  for (std::size_t i = 0; i < count; ++i) {
    const LinearForm& f = reduced.forms[i];
    if (narrow) {
      edges_[i] = {static_cast<std::int64_t>(f.fixed), static_cast<std::uint32_t>(f.multiples),
                   reduced.sources[i]};
    } else {
      wide_[i] = {f.fixed, f.multiples, reduced.sources[i]};
    }
  }
  compute_bounds();
}

void PathProgram::price_edges() {
  if (!reduced_ || reduced_->spilled) return;
  passes::Rates fixed{};
  passes::Rates multiples{};
  // The most of each bounds every edge, and so says whether all fit.
  const bool narrow = most_at_zero_ < kMost64 && steepest_ <= kMost32 && rates(1, 0, fixed) &&
                      rates(0, 1, multiples);
  if (!narrow) return;
  nodes_.assign(reduced_->nodes.begin(), reduced_->nodes.end());
  edges_.resize(reduced_->edges.size());
  passes::price_edges(reduced_->program(), edges_.size(), fixed, multiples, edges_.data());
  reduced_.reset();
}

/// T(0), and the largest slope. In 64 bits when not even the sum of all edges leaves them.
void PathProgram::compute_bounds() {
  if (!wide_.empty()) {
    compute_bounds_128(wide_);
    return;
  }
  Int128 fixed = 0;
  Int128 multiples = 0;
  for (const passes::Edge& e : edges_) {
    fixed += e.fixed;
    multiples += e.multiples;
  }
  if (fixed < kMost64 && multiples < kMost64) {
    compute_bounds_64();
  } else {
    compute_bounds_128(edges_);
  }
}

void PathProgram::compute_bounds_64() {
  const std::array<std::int64_t, passes::kLanes> q{1};
  const std::array<std::int64_t, passes::kLanes> p{0, 1};
  passes::LaneState state(slots_);
  passes::lanes_pass()(program(), state.data(), q.data(), p.data());
  const std::int64_t* end = state.lanes(nodes_.back().target);
  most_at_zero_ = end[0];
  steepest_ = end[1];
}

template <class Edges>
void PathProgram::compute_bounds_128(const Edges& edges) {
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
  most_at_zero_ = value[nodes_.back().target];
  steepest_ = slope[nodes_.back().target];
}

bool PathProgram::encode(const Query& query, Encoded& encoded) const {
  if (!wide_.empty() || !fits_64(query.x)) return false;
  const Int128 k = Int128{steepest_} + 1;
  const Int128 q = query.x.denominator * k;
  const Int128 p = query.x.numerator * k + (query.side == Side::right ? 1 : -1);
  const Int128 most =
      (most_at_zero_ * query.x.denominator + Int128{steepest_} * query.x.numerator + 1) * k;
  if (most >= kMost64 || q >= kMost64 || p >= kMost64 || p < 0) return false;
  encoded = {static_cast<std::int64_t>(q), static_cast<std::int64_t>(p)};
  passes::Rates unused{};
  return !reduced_ || rates(encoded.q, encoded.p, unused);
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
  if (most_at_zero_ > limit / x.denominator) return false;
  if (steepest_ > 0 && x.numerator > limit / steepest_) return false;
  return most_at_zero_ * x.denominator + Int128{steepest_} * x.numerator < limit;
}

/// False when a price alone does not fit in 64 bits (which need not be anybody's to pay).
bool PathProgram::rates(std::int64_t q, std::int64_t p, passes::Rates& rates) const {
  bool fits = true;
  const auto rate = [&](const LinearTerm& price) {
    fits = fits && price.fixed_ticks < kMost64;
    const Int128 sum = fits ? price.fixed_ticks * q + Int128{price.multiples} * p : 0;
    fits = fits && sum < kMost64;
    return static_cast<std::int64_t>(sum);
  };
  rates = {.nanosecond = rate(prices_.nanosecond),
           .byte = rate(prices_.byte),
           .latency = rate(prices_.latency),
           .overhead = rate(prices_.overhead)};
  return fits;
}

void PathProgram::single_pass(const Encoded& encoded, std::int64_t* state) const {
  if (!reduced_) {
    passes::run_single(program(), state, encoded.q, encoded.p);
    return;
  }
  passes::Rates r{};
  rates(encoded.q, encoded.p, r);
  passes::run_single(reduced_->program(), state, r);
}

void PathProgram::lanes_pass(std::span<const Encoded> encoded, std::int64_t* state) const {
  std::array<std::int64_t, passes::kLanes> q{};
  std::array<std::int64_t, passes::kLanes> p{};
  std::array<passes::Rates, passes::kLanes> r{};
  for (std::size_t k = 0; k < encoded.size(); ++k) {
    q[k] = encoded[k].q;
    p[k] = encoded[k].p;
    if (reduced_) rates(q[k], p[k], r[k]);
  }
  if (reduced_) {
    passes::loggps_lanes_pass()(reduced_->program(), state, r.data());
  } else {
    passes::lanes_pass()(program(), state, q.data(), p.data());
  }
}

std::vector<PathLine> PathProgram::lines_at(std::span<const Query> queries,
                                            unsigned threads) const {
  std::vector<PathLine> lines(queries.size());
  std::vector<std::size_t> encodable;
  std::vector<Encoded> encoded;
  std::vector<const Query*> apart;
  std::vector<PathLine*> lines_of_apart;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    Encoded e{};
    if (encode(queries[i], e)) {
      encodable.push_back(i);
      encoded.push_back(e);
    } else {
      apart.push_back(&queries[i]);
      lines_of_apart.push_back(&lines[i]);
    }
  }
  lines_apart(apart, lines_of_apart, threads);
  if (encodable.size() < kWorthLanes) {
    std::vector<std::int64_t> state(slots_, 0);
    for (std::size_t k = 0; k < encodable.size(); ++k) {
      single_pass(encoded[k], state.data());
      lines[encodable[k]] = decode(queries[encodable[k]], state[end_slot()]);
    }
    return lines;
  }
  const std::size_t batches = (encodable.size() + passes::kLanes - 1) / passes::kLanes;
  parallel_for(
      batches,
      [&](std::size_t batch) {
        const std::size_t first = batch * passes::kLanes;
        const std::size_t count = std::min(passes::kLanes, encodable.size() - first);
        passes::LaneState state(slots_);
        lanes_pass({encoded.data() + first, count}, state.data());
        for (std::size_t k = 0; k < count; ++k) {
          const std::size_t i = encodable[first + k];
          lines[i] = decode(queries[i], state.lanes(end_slot())[k]);
        }
      },
      threads);
  return lines;
}

}  // namespace slackline
