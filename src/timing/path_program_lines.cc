// The lines of T where value and slope do not fit in one number of 64 bits, or where all lines of
// an interval are wanted.

#include <algorithm>
#include <array>
#include <limits>

#include "base/error.h"
#include "base/parallel.h"
#include "timing/passes/lane_state.h"
#include "timing/path_program.h"
#include "timing/piecewise/interval_pass.h"

namespace slackline {
namespace {

constexpr Int128 kMost61 = Int128{1} << 61;
/// Fewer values than this are not worth a pass of lines.
constexpr std::size_t kWorthLines = 2;

PathLine line_from_value(Int128 scaled_value, std::int64_t slope, const Ticks& x) {
  return {(scaled_value - Int128{slope} * x.numerator) / x.denominator, slope};
}

/// The i-th of the points that divide [from, to] into `parts` parts.
Ticks between(const Ticks& from, const Ticks& to, std::size_t i, std::size_t parts) {
  if (i == 0) return from;
  if (i == parts) return to;
  const auto left = static_cast<Int128>(parts - i);
  const auto right = static_cast<Int128>(i);
  // Whole ticks, which are enough to share out the work.
  const Int128 first = from.numerator / from.denominator;
  const Int128 last = to.numerator / to.denominator;
  const Ticks x{(first * left + last * right) / static_cast<Int128>(parts), 1};
  return x < from ? from : x;
}

}  // namespace

/// Do T and all slopes fit in 61 bits up to x?
bool PathProgram::values_fit_61(const Ticks& x) const {
  const Int128 most_x = x.numerator / x.denominator + 1;
  return most_at_zero_ < kMost61 && most_x < kMost61 && steepest_ < kMost61 / most_x &&
         most_at_zero_ + Int128{steepest_} * most_x < kMost61;
}

/// Can lines_pass() take the value?
bool PathProgram::fits_lines(const Query& query) const {
  passes::Rates unused{};
  return wide_.empty() && query.x.numerator < kMost61 && query.x.denominator < kMost61 &&
         values_fit_61(query.x) && (!reduced_ || (rates(1, 0, unused) && rates(0, 1, unused)));
}

/// The lines at up to kLanes values, of which none need fit in 64 bits.
void PathProgram::lines_pass(std::span<const Query* const> queries,
                             std::span<PathLine* const> lines) const {
  // Some twenty times the rounding error of a sum of two products.
  constexpr double kDoubt = 0x1p-49;
  std::array<passes::LineQuery, passes::kLanes> lanes{};
  for (std::size_t i = 0; i < passes::kLanes; ++i) {
    const Query& query = *queries[std::min(i, queries.size() - 1)];
    const auto x = static_cast<double>(static_cast<long double>(query.x.numerator) /
                                       static_cast<long double>(query.x.denominator));
    lanes[i] = {.numerator = static_cast<std::int64_t>(query.x.numerator),
                .denominator = static_cast<std::int64_t>(query.x.denominator),
                .x = x,
                .doubt = kDoubt * (static_cast<double>(most_at_zero_) +
                                   static_cast<double>(steepest_) * (x + 1) + 1),
                .side = query.side == Side::right ? 1 : -1};
  }
  passes::LaneState state(2 * std::size_t{slots_});
  if (reduced_) {
    passes::Rates fixed{};
    passes::Rates multiples{};
    rates(1, 0, fixed);
    rates(0, 1, multiples);
    passes::loggps_lines_pass()(reduced_->program(), state.data(), lanes.data(), fixed, multiples);
  } else {
    passes::lines_pass()(program(), state.data(), lanes.data());
  }
  const std::int64_t* intercepts = state.lanes(2 * end_slot());
  const std::int64_t* slopes = state.lanes(2 * end_slot() + 1);
  for (std::size_t i = 0; i < queries.size(); ++i) *lines[i] = {intercepts[i], slopes[i]};
}

/// Values that do not fit in 64 bits with their slopes.
void PathProgram::lines_apart(std::span<const Query* const> queries,
                              std::span<PathLine* const> lines, unsigned threads) const {
  std::vector<const Query*> together;
  std::vector<PathLine*> of_together;
  std::vector<std::size_t> alone;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    // A single value is found faster with its slope beside it, but not with 128 bits.
    const bool worth_it = queries.size() >= kWorthLines || !fits_64(queries[i]->x);
    if (worth_it && fits_lines(*queries[i])) {
      together.push_back(queries[i]);
      of_together.push_back(lines[i]);
    } else {
      alone.push_back(i);
    }
  }
  const std::size_t batches = (together.size() + passes::kLanes - 1) / passes::kLanes;
  parallel_for(
      batches + alone.size(),
      [&](std::size_t k) {
        if (k < batches) {
          const std::size_t first = k * passes::kLanes;
          const std::size_t count = std::min(passes::kLanes, together.size() - first);
          lines_pass({together.data() + first, count}, {of_together.data() + first, count});
        } else {
          const std::size_t i = alone[k - batches];
          const std::optional<PathLine> line = line_by_pair(*queries[i]);
          *lines[i] = line ? *line : line_by_wide_pair(*queries[i]);
        }
      },
      threads);
}

/// Empty when the values do not fit in 64 bits.
std::optional<PathLine> PathProgram::line_by_pair(const Query& query) const {
  if (!wide_.empty() || !fits_64(query.x)) return std::nullopt;
  std::vector<std::int64_t> state(2 * std::size_t{slots_}, 0);
  const auto q = static_cast<std::int64_t>(query.x.denominator);
  const auto p = static_cast<std::int64_t>(query.x.numerator);
  const bool steeper = query.side == Side::right;
  if (reduced_) {
    passes::Rates value{};
    passes::Rates slope{};
    if (!rates(q, p, value)) return std::nullopt;
    rates(0, 1, slope);
    passes::run_with_slope(reduced_->program(), state.data(), value, slope, steeper);
  } else {
    passes::run_with_slope(program(), state.data(), q, p, steeper);
  }
  const std::int64_t* end = state.data() + 2 * end_slot();
  return line_from_value(end[0], end[1], query.x);
}

template <class EdgeAt>
PathLine PathProgram::line_by_wide_pair(const Query& query, std::span<const passes::Node> nodes,
                                        EdgeAt edge_at) const {
  struct Value {
    Int128 scaled = 0;
    std::int64_t slope = 0;
  };
  std::vector<Value> state(slots_);
  const std::int64_t sign = query.side == Side::right ? 1 : -1;
  std::size_t i = 0;
  for (const passes::Node& node : nodes) {
    Value latest{-1, 0};
    for (const std::size_t end = i + node.edges; i != end; ++i) {
      const WideEdge e = edge_at(i);
      const Value candidate{
          state[e.source].scaled + e.fixed * query.x.denominator + e.multiples * query.x.numerator,
          state[e.source].slope + e.multiples};
      if (candidate.scaled > latest.scaled ||
          (candidate.scaled == latest.scaled && sign * candidate.slope > sign * latest.slope)) {
        latest = candidate;
      }
    }
    state[node.target] = latest;
  }
  const Value& end = state[nodes.back().target];
  return line_from_value(end.scaled, end.slope, query.x);
}

PathLine PathProgram::line_by_wide_pair(const Query& query) const {
  if (reduced_) {
    return line_by_wide_pair(query, reduced_->nodes, [&](std::size_t i) {
      const LogGPSForm f = reduced_->form(i);
      const auto sum = [&](auto price) {
        return price(prices_.nanosecond) * f.nanoseconds + price(prices_.byte) * f.bytes +
               price(prices_.latency) * f.latencies + price(prices_.overhead) * f.overheads;
      };
      return WideEdge{
          sum([](const LinearTerm& t) { return t.fixed_ticks; }),
          static_cast<std::int64_t>(sum([](const LinearTerm& t) { return Int128{t.multiples}; })),
          reduced_->edges[i].source};
    });
  }
  if (!wide_.empty()) {
    return line_by_wide_pair(query, nodes_, [&](std::size_t i) { return wide_[i]; });
  }
  return line_by_wide_pair(query, nodes_, [&](std::size_t i) {
    return WideEdge{edges_[i].fixed, edges_[i].multiples, edges_[i].source};
  });
}

std::optional<std::vector<PathLine>> PathProgram::lines_between(const Ticks& from, const Ticks& to,
                                                                const std::function<bool()>& stop,
                                                                unsigned threads) const {
  const std::size_t parts = threads == kAllThreads ? hardware_threads() : threads;
  // Where one thread's part ends and the next one's begins.
  std::vector<piecewise::Abscissa> bounds;
  for (std::size_t i = 0; i <= parts; ++i) {
    const Ticks x = between(from, to, i, parts);
    if (x.numerator >= kMost61 || x.denominator >= kMost61) return std::nullopt;
    bounds.push_back(
        {static_cast<std::int64_t>(x.numerator), static_cast<std::int64_t>(x.denominator)});
  }
  if (reduced_ || !wide_.empty() || !values_fit_61(to)) return std::nullopt;
  const piecewise::IntervalPasses intervals(program(), slots_);
  std::vector<std::optional<std::vector<PathLine>>> found(parts);
  parallel_for(
      parts,
      [&](std::size_t i) {
        found[i] = intervals.lines({bounds[i], bounds[i + 1]}, stop);
      },
      threads);
  std::vector<PathLine> lines;
  for (const auto& part : found) {
    if (!part) return std::nullopt;
    const bool goes_on = !lines.empty() && lines.back() == part->front();
    lines.insert(lines.end(), part->begin() + (goes_on ? 1 : 0), part->end());
  }
  return lines;
}

}  // namespace slackline
