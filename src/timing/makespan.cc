// The longest path and its derivative, exactly.
//
// Vertices are in topological order, so one sweep gives every vertex the time at which its last
// dependence is met. Beside the time each vertex keeps how often the longest path to it pays the
// varying parameter; the pair is compared lexicographically. The maximum over the ranks' ends is
// then T and dT/dx, and with them the path's whole line, without walking back.
//
// Exactness: with ticks of gcd(1 ns, fixed parameters) all constants are integers. At x = p/q all
// times are multiples of 1/q tick, so the sweep computes q*c + a*p. In 64 bits where that provably
// fits (checked before for single edges, during the sweep for the sums), else in 128.
//
// Why a sweep and no linear program: T's value and slope at x are all that Newton's iteration
// (tolerance.cc) and chord bisection (envelope.cc) need. LLAMP section II-C asks a solver for the
// same two numbers.

#include "timing/makespan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr std::int64_t kSafe64 = std::int64_t{1} << 61;

Int128 absolute(Int128 x) {
  return x < 0 ? -x : x;
}

Int128 gcd128(Int128 a, Int128 b) {
  a = absolute(a);
  b = absolute(b);
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}

}  // namespace

Ticks make_ticks(Int128 numerator, Int128 denominator) {
  expects(denominator != 0, "a rational has a denominator");
  if (denominator < 0) {
    numerator = -numerator;
    denominator = -denominator;
  }
  const Int128 common = numerator == 0 ? denominator : gcd128(numerator, denominator);
  return {numerator / common, denominator / common};
}

/// By continued fractions: whole parts first, then the rests upside down.
bool operator<(const Ticks& a, const Ticks& b) {
  const auto floor_of = [](const Ticks& t) {
    return t.numerator / t.denominator - (t.numerator % t.denominator < 0 ? 1 : 0);
  };
  const Int128 whole_a = floor_of(a);
  const Int128 whole_b = floor_of(b);
  if (whole_a != whole_b) return whole_a < whole_b;
  const Int128 rest_a = a.numerator - whole_a * a.denominator;
  const Int128 rest_b = b.numerator - whole_b * b.denominator;
  if (rest_a == 0 || rest_b == 0) return rest_a == 0 && rest_b != 0;
  return Ticks{b.denominator, rest_b} < Ticks{a.denominator, rest_a};
}

MakespanFunction::MakespanFunction(const ExecutionGraph& graph, const LogGPS& model,
                                   Parameter parameter)
    : graph_(graph), parameter_(parameter) {
  LogGPS fixed = model;
  if (parameter == Parameter::latency) fixed.latency_fs = 0;
  if (parameter == Parameter::overhead) fixed.overhead_fs = 0;
  if (parameter == Parameter::gap_per_byte) fixed.gap_per_byte_fs = 0;
  tick_fs_ = std::gcd(std::gcd(kFemtosPerNano, fixed.latency_fs),
                      std::gcd(fixed.overhead_fs, fixed.gap_per_byte_fs));
  tick_per_ns_ = kFemtosPerNano / tick_fs_;
  ticks_latency_ = fixed.latency_fs / tick_fs_;
  ticks_overhead_ = fixed.overhead_fs / tick_fs_;
  ticks_byte_ = fixed.gap_per_byte_fs / tick_fs_;
  base_ = from_fs(value_fs(model, parameter));
}

double MakespanFunction::to_ns(const Ticks& x) const {
  return static_cast<double>(static_cast<long double>(x.numerator) /
                             static_cast<long double>(x.denominator) /
                             static_cast<long double>(tick_per_ns_));
}

double MakespanFunction::value_ns(const PathLine& line, const Ticks& x) const {
  return static_cast<double>(static_cast<long double>(line.scaled_at(x)) /
                             static_cast<long double>(x.denominator) /
                             static_cast<long double>(tick_per_ns_));
}

/// Edge costs at x = p/q, in 1/q ticks.
template <class Int>
class MakespanFunction::ScaledCost {
 public:
  ScaledCost(const MakespanFunction& f, const Ticks& x) {
    const auto q = static_cast<Int>(x.denominator);
    const auto p = static_cast<Int>(x.numerator);
    per_ns_ = q * f.tick_per_ns_;
    per_latency_ = q * f.ticks_latency_ + (f.parameter_ == Parameter::latency ? p : 0);
    per_overhead_ = q * f.ticks_overhead_ + (f.parameter_ == Parameter::overhead ? p : 0);
    per_byte_ = q * f.ticks_byte_ + (f.parameter_ == Parameter::gap_per_byte ? p : 0);
  }

  Int operator()(const Edge& e) const {
    return e.nanoseconds * per_ns_ + e.latencies * per_latency_ + e.overheads * per_overhead_ +
           multiples(e, Parameter::gap_per_byte) * per_byte_;
  }
  Int nanoseconds(std::int64_t ns) const { return ns * per_ns_; }

  /// Can no edge of the graph overflow 64 bits?
  bool fits(const ExecutionGraph& graph) const {
    return graph.max_nanoseconds() <= kSafe64 / per_ns_ &&
           (per_byte_ == 0 || graph.max_bytes() <= static_cast<std::uint64_t>(kSafe64 / per_byte_));
  }

 private:
  Int per_ns_;
  Int per_latency_;
  Int per_overhead_;
  Int per_byte_;
};

namespace {

/// The later of two path ends; among equal ones the steeper or the flatter.
template <class Int>
struct PathEnd {
  Int time;
  std::int64_t slope;

  void take_later(Int other_time, std::int64_t other_slope, Side side) {
    const bool wins =
        other_time > time ||
        (other_time == time && (side == Side::right ? other_slope > slope : other_slope < slope));
    if (!wins) return;
    time = other_time;
    slope = other_slope;
  }
};

}  // namespace

template <class Int>
bool MakespanFunction::pass(const Ticks& x, Side side, std::vector<Int>& times, PathLine& line) {
  constexpr bool kChecked = std::is_same_v<Int, std::int64_t>;
  const ScaledCost<Int> cost(*this, x);
  if constexpr (kChecked) {
    if (!cost.fits(graph_)) return false;
  }
  times.resize(graph_.vertex_count());
  slope_.resize(graph_.vertex_count());
  const auto vertices = static_cast<VertexId>(graph_.vertex_count());
  for (VertexId v = 0; v < vertices; ++v) {
    PathEnd<Int> end{-1, 0};
    graph_.for_in_edges(v, [&](const Edge& e) {
      end.take_later(times[e.from] + cost(e), slope_[e.from] + multiples(e, parameter_), side);
    });
    if constexpr (kChecked) {
      if (end.time > kSafe64) return false;
    }
    times[v] = std::max<Int>(end.time, 0);
    slope_[v] = end.slope;
  }
  PathEnd<Int> last{-1, 0};
  for (std::int32_t r = 0; r < graph_.ranks(); ++r) {
    const VertexId v = graph_.last_vertex(r);
    last.take_later(times[v] + cost.nanoseconds(graph_.tail_ns(r)), slope_[v], side);
  }
  line.slope = last.slope;
  line.intercept =
      (static_cast<Int128>(last.time) - static_cast<Int128>(last.slope) * x.numerator) /
      x.denominator;
  return true;
}

PathLine MakespanFunction::line_at(const Ticks& x, Side side) {
  expects(x.numerator >= 0, "parameters are not negative");
  for (const Evaluation& e : evaluations_) {
    if (e.x == x && e.side == side) return e.line;
  }
  evaluations_.push_back({x, side, evaluate(x, side)});
  return evaluations_.back().line;
}

PathLine MakespanFunction::evaluate(const Ticks& x, Side side) {
  PathLine line;
  // Scale factors themselves must leave room before 64 bits are tried.
  constexpr Int128 kScaleLimit = Int128{1} << 40;
  const Int128 largest =
      std::max({x.denominator * tick_per_ns_, x.denominator * ticks_latency_,
                x.denominator * ticks_overhead_, x.denominator * ticks_byte_, x.numerator});
  if (largest < kScaleLimit && pass(x, side, time64_, line)) return line;
  pass(x, side, time128_, line);
  return line;
}

PathLine MakespanFunction::asymptote() {
  // Beyond T(0) + 1 ticks no path with fewer multiples can catch up: one multiple more outweighs
  // any difference of intercepts.
  const PathLine at_zero = line_at(Ticks{0, 1});
  return line_at(Ticks{at_zero.intercept + 1, 1});
}

}  // namespace slackline
