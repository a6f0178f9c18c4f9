// Offsets and drifts of clocks from what the calls say of them.
//
// With corrections x of the clocks each message and each collective is a constraint
// x_from - x_to <= slack: nobody receives what was not sent, nobody leaves a collective before
// those have entered whom it needs. Only the tightest of a pair of clocks counts, so that after one
// pass over the calls everything is as large as the pairs of clocks.
//
// 1. A coarse alignment along a spanning tree, so that slacks are small against the run.
// 2. Constant corrections: a system of difference constraints, solved by shortest paths.
// 3. Where that has no solution the clocks drift. For a pair, the lines between the bounds of both
//    directions give the largest difference at the run's begin, and at its end; differences at one
//    time are difference constraints again, and the shortest paths from the reference bound every
//    correction there. The line through the middles is taken for the drift, and step 2 repeated on
//    times without it.
// 4. The bounds of step 3 hold whatever the drifts are, and are what is told as feasible.
//
// Large collectives show only those of their pairs that matter under the corrections so far
// (ClockConstraints), so step 2 is repeated until they show nothing new.

#include "calls/clock_correction.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <limits>
#include <span>
#include <utility>

#include "calls/clock_constraints.h"

namespace slackline {
namespace {

/// Clocks that drift apart by more than this are not described by one line: a thousandth, far above
/// quartz clocks (0.0001) and what NTP slews (0.0005).
constexpr double kLargestDrift = 1e-3;

constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr double kMostSlope = 2 * kLargestDrift;

constexpr double kPadding_ns = 1;
constexpr int kSteps = 60;

/// All lines d(t) between two sets of points: d(s) <= slack for what the first clock sent to the
/// second, d(s) >= -slack for the other way round.
///
/// For a slope b the largest value at time t is the least of slack + b (t - s) over the first set,
/// a concave function of b, and the smallest the greatest of -slack + b (t - s) over the second, a
/// convex one. The slopes for which the largest is not below the smallest are an interval; the
/// largest value over it is found by ternary search, its ends by bisection. Rounding is made up for
/// by kPadding_ns.
///
/// The bounds are of first order: with drifts a message's slack is measured by two clocks that run
/// at different speed, which is made up for by kLargestDrift of it.
class Lines {
 public:
  Lines(std::span<const ClockBound> forth, std::span<const ClockBound> back, double at)
      : forth_(forth), back_(back), at_(at) {}

  double highest(double slope) const {
    double value = kUnbounded;
    for (const ClockBound& b : forth_) value = std::min(value, eased(b) + slope * distance(b));
    return value;
  }
  double lowest(double slope) const {
    double value = -kUnbounded;
    for (const ClockBound& b : back_) value = std::max(value, -eased(b) + slope * distance(b));
    return value;
  }
  double room(double slope) const { return highest(slope) - lowest(slope) + kPadding_ns; }

 private:
  double distance(const ClockBound& b) const { return at_ - static_cast<double>(b.at_ns); }
  static double eased(const ClockBound& b) {
    const auto slack = static_cast<double>(b.slack_ns);
    return slack + kLargestDrift * std::abs(slack);
  }

  std::span<const ClockBound> forth_;
  std::span<const ClockBound> back_;
  double at_;
};

/// Where a concave function is largest between `low` and `high`.
template <class Function>
double where_largest(Function f, double low, double high) {
  for (int i = 0; i < kSteps; ++i) {
    const double a = low + (high - low) / 3;
    const double b = high - (high - low) / 3;
    (f(a) < f(b) ? low : high) = f(a) < f(b) ? a : b;
  }
  return (low + high) / 2;
}

/// The last slope from `inside`, where there is room, towards `outside` that has any.
double last_with_room(const Lines& lines, double inside, double outside) {
  if (lines.room(outside) >= 0) return outside;
  for (int i = 0; i < kSteps; ++i) {
    const double middle = (inside + outside) / 2;
    (lines.room(middle) >= 0 ? inside : outside) = middle;
  }
  return inside;
}

/// The largest value that x_from - x_to can have at `at_ns`, where both corrections are linear,
/// drift at most kLargestDrift from true time, and respect what the calls say of the two clocks in
/// both directions (Duda and others, "Estimating global time in distributed systems", 1987: all
/// lines between the two point sets). Infinity where nothing bounds it, -infinity where no line
/// fits. Never too small; some hundred times the number of bounds.
double largest_difference_ns(std::span<const ClockBound> forth, std::span<const ClockBound> back,
                             double at_ns) {
  if (forth.empty()) return kUnbounded;
  const Lines lines(forth, back, at_ns);
  double least = -kMostSlope;
  double most = kMostSlope;
  if (!back.empty()) {
    const double widest =
        where_largest([&](double b) { return lines.room(b); }, -kMostSlope, kMostSlope);
    if (lines.room(widest) < 0) return -kUnbounded;
    least = last_with_room(lines, widest, -kMostSlope);
    most = last_with_room(lines, widest, kMostSlope);
  }
  const double best = where_largest([&](double b) { return lines.highest(b); }, least, most);
  return std::max({lines.highest(best), lines.highest(least), lines.highest(most)}) + kPadding_ns;
}

constexpr std::size_t kMostStretches = 32;
constexpr std::size_t kBoundsKept = std::size_t{1} << 22;
constexpr int kCollections = 8;

double middle_or_least(const FeasibleInterval& interval, double unchanged) {
  if (interval.low <= unchanged && unchanged <= interval.high) return unchanged;
  if (std::isfinite(interval.low) && std::isfinite(interval.high)) {
    return (interval.low + interval.high) / 2;
  }
  return unchanged < interval.low ? interval.low : interval.high;
}

std::int64_t tightest(const ClockPair& p) {
  return std::ranges::min(p.bounds, {}, &ClockBound::slack_ns).slack_ns;
}

/// The same pair in the other direction, of pairs in order; null when nothing is known of it.
const ClockPair* reverse_of(const std::vector<ClockPair>& pairs, const ClockPair& p) {
  const auto key = [](const ClockPair& q) { return std::pair(q.from, q.to); };
  const auto found = std::ranges::lower_bound(pairs, std::pair(p.to, p.from), {}, key);
  return found != pairs.end() && key(*found) == std::pair(p.to, p.from) ? &*found : nullptr;
}

/// A clock's correction at the run's begin and end, straight in between.
struct ClockLine {
  double at_begin = 0;
  double at_end = 0;
};

/// Moves lines until they satisfy all bounds, or for as long as is worth it: each bound that is not
/// satisfied moves its two lines by the least that does (projections onto half-spaces; Agmon 1954,
/// Motzkin and Schoenberg 1954).
void project_lines(const std::vector<ClockPair>& pairs, double begin_ns, double length_ns,
                   std::vector<ClockLine>& lines) {
  constexpr std::size_t kMostWork = 200'000'000;
  constexpr std::size_t kMostSweeps = 2000;
  constexpr double kMargin_ns = 2;  // for rounding to integers
  std::size_t bounds = 1;
  for (const ClockPair& p : pairs) bounds += p.bounds.size();
  const std::size_t sweeps = std::min(kMostSweeps, kMostWork / bounds);
  for (std::size_t sweep = 0; sweep < sweeps; ++sweep) {
    bool moved = false;
    for (const ClockPair& p : pairs) {
      ClockLine& from = lines[p.from];
      ClockLine& to = lines[p.to];
      for (const ClockBound& b : p.bounds) {
        const double late = (static_cast<double>(b.at_ns) - begin_ns) / length_ns;
        const double early = 1 - late;
        const double excess = early * (from.at_begin - to.at_begin) +
                              late * (from.at_end - to.at_end) - static_cast<double>(b.slack_ns) +
                              kMargin_ns;
        if (excess <= 0) continue;
        moved = true;
        const double step = excess / (2 * (early * early + late * late));
        from.at_begin -= step * early;
        from.at_end -= step * late;
        to.at_begin += step * early;
        to.at_end += step * late;
      }
    }
    if (!moved) return;
  }
}

class Estimator {
 public:
  Estimator(const Trace& trace, const CallMatching& matching, ClockGroups clocks)
      : clocks_(std::move(clocks)), constraints_(trace, matching, clocks_) {}

  ClockEstimate run() {
    ClockEstimate estimate;
    maps_.resize(clocks_.size());
    constraints_.collect(maps_, 1);
    estimate.violations = constraints_.violations();
    reference_ = least_suspicious();
    align_coarsely();
    constraints_.collect(maps_, stretches());
    collect_until_stable();
    bound(estimate);
    if (!solved_ && !estimate.at_begin.empty()) {
      remove_drift(estimate);
      // Once more on times that nearly agree, where bounds of first order are as good as exact.
      constraints_.collect(maps_, stretches());
      ClockEstimate refined;
      bound(refined);
      if (!refined.at_begin.empty()) {
        estimate.at_begin = std::move(refined.at_begin);
        estimate.at_end = std::move(refined.at_end);
      }
    }
    constraints_.collect(maps_, 1);
    estimate.remaining = constraints_.violations();
    estimate.maps = maps_;
    estimate.reference = reference_;
    estimate.clocks = std::move(clocks_);
    return estimate;
  }

 private:
  std::size_t stretches() const {
    const std::size_t pairs = std::max<std::size_t>(1, constraints_.pair_count());
    return std::clamp<std::size_t>(kBoundsKept / pairs, 1, kMostStretches);
  }

  /// The clock that contradicts fewest others: where most agree, one of them.
  std::uint32_t least_suspicious() const {
    std::vector<std::uint32_t> against(clocks_.size(), 0);
    std::vector<bool> known(clocks_.size(), false);
    for (const ClockPair& p : constraints_.pairs()) {
      known[p.from] = known[p.to] = true;
      if (tightest(p) >= 0) continue;
      ++against[p.from];
      ++against[p.to];
    }
    std::uint32_t best = 0;
    for (std::uint32_t c = 0; c < clocks_.size(); ++c) {
      if (known[c] && (!known[best] || against[c] < against[best])) best = c;
    }
    return best;
  }

  /// Offsets along a spanning tree, of each step the middle of what its pair says.
  void align_coarsely() {
    struct Step {
      std::uint32_t to;
      std::int64_t offset;  // of x_to - x_this
    };
    std::vector<std::vector<Step>> steps(clocks_.size());
    const std::vector<ClockPair> pairs = constraints_.pairs();
    for (const ClockPair& p : pairs) {
      const ClockPair* const back = reverse_of(pairs, p);
      if (back != nullptr && p.to < p.from) continue;
      // x_from - x_to is at most the one slack, and at least the other one negated.
      const std::int64_t most = tightest(p);
      const std::int64_t offset = back == nullptr ? std::min<std::int64_t>(0, most)
                                                  : least_or_middle(-tightest(*back), most);
      steps[p.to].push_back({p.from, offset});
      steps[p.from].push_back({p.to, -offset});
    }
    std::vector<bool> reached(clocks_.size(), false);
    std::deque<std::uint32_t> queue{reference_};
    reached[reference_] = true;
    while (!queue.empty()) {
      const std::uint32_t at = queue.front();
      queue.pop_front();
      for (const Step& s : steps[at]) {
        if (reached[s.to]) continue;
        reached[s.to] = true;
        queue.push_back(s.to);
        maps_[s.to].offset_ns = maps_[at].offset_ns + s.offset;
      }
    }
  }

  static std::int64_t least_or_middle(std::int64_t least, std::int64_t most) {
    return least <= 0 && most >= 0 ? 0 : least + (most - least) / 2;
  }

  DifferenceSystem constant_system() const {
    std::vector<DifferenceConstraint> constraints;
    for (const ClockPair& p : constraints_.pairs()) {
      constraints.push_back({p.from, p.to, static_cast<double>(tightest(p))});
    }
    return {clocks_.size(), std::move(constraints)};
  }

  /// Adds constants to the maps such that all that is known is satisfied; false when none do.
  /// `unchanged`: what to add to leave each clock as it is, where that is wanted.
  bool add_constants(const std::vector<double>& unchanged) {
    const DifferenceSystem system = constant_system();
    const std::vector<FeasibleInterval> feasible = system.intervals(reference_);
    if (feasible.empty()) return false;
    std::vector<double> target;
    for (std::size_t c = 0; c < clocks_.size(); ++c) {
      target.push_back(std::floor(middle_or_least(feasible[c], unchanged[c])));
    }
    const std::vector<std::int64_t> added = system.solution_near(target);
    if (added.empty()) return false;
    for (std::size_t c = 0; c < clocks_.size(); ++c) {
      maps_[c].offset_ns += added[c] - added[reference_];
    }
    return true;
  }

  std::vector<double> as_read() const {
    std::vector<double> unchanged;
    for (const ClockMap& map : maps_) {
      unchanged.push_back(-static_cast<double>(map.offset_ns));
    }
    return unchanged;
  }

  void collect_until_stable() {
    std::vector<double> unchanged = as_read();
    for (int i = 0; i < kCollections; ++i) {
      solved_ = add_constants(unchanged);
      constraints_.collect_more(maps_);
      if (!solved_ || constraints_.violations() == 0) return;
      unchanged = as_read();
    }
    solved_ = false;
  }

  /// What any linear correction may be at `at_ns`, beside what the maps add already.
  std::vector<FeasibleInterval> intervals_at(const std::vector<ClockPair>& pairs, double at_ns) {
    std::vector<DifferenceConstraint> constraints;
    for (const ClockPair& p : pairs) {
      const ClockPair* const back = reverse_of(pairs, p);
      const auto opposite = back == nullptr ? std::span<const ClockBound>() : back->bounds;
      const double most = largest_difference_ns(p.bounds, opposite, at_ns);
      if (most == -std::numeric_limits<double>::infinity()) return {};
      constraints.push_back({p.from, p.to, most});
    }
    return DifferenceSystem(clocks_.size(), std::move(constraints)).intervals(reference_);
  }

  void bound(ClockEstimate& estimate) {
    const std::vector<ClockPair> pairs = constraints_.pairs();
    estimate.begin_ns = constraints_.begin_ns();
    estimate.end_ns = constraints_.end_ns();
    estimate.at_begin = intervals_at(pairs, static_cast<double>(estimate.begin_ns));
    estimate.at_end = intervals_at(pairs, static_cast<double>(estimate.end_ns));
    if (estimate.at_begin.empty() || estimate.at_end.empty()) {
      estimate.at_begin.clear();
      estimate.at_end.clear();
      return;
    }
    for (std::size_t c = 0; c < clocks_.size(); ++c) {
      add_known(c, estimate.begin_ns, estimate.at_begin[c]);
      add_known(c, estimate.end_ns, estimate.at_end[c]);
    }
  }

  /// From what may be added beside the clock's map to what may be added in all, where the corrected
  /// time is `at_ns`.
  void add_known(std::size_t clock, std::int64_t at_ns, FeasibleInterval& interval) const {
    const ClockMap& map = maps_[clock];
    const auto since = static_cast<double>(at_ns - map.offset_ns - map.origin_ns);
    const double known = static_cast<double>(map.offset_ns) + map.drift * since / (1 + map.drift);
    interval.low += known;
    interval.high += known;
  }

  /// From constants to lines: those through the middles of what is feasible at the run's begin and
  /// end, or the nearest that satisfy all bounds.
  void remove_drift(const ClockEstimate& estimate) {
    std::vector<ClockLine> lines;
    for (std::size_t c = 0; c < clocks_.size(); ++c) {
      const auto known = static_cast<double>(maps_[c].offset_ns);
      lines.push_back({middle_or_least(estimate.at_begin[c], known) - known,
                       middle_or_least(estimate.at_end[c], known) - known});
    }
    const auto begin = static_cast<double>(estimate.begin_ns);
    const auto length = std::max(1.0, static_cast<double>(estimate.end_ns) - begin);
    project_lines(constraints_.pairs(), begin, length, lines);
    for (std::size_t c = 0; c < clocks_.size(); ++c) {
      const ClockLine line{lines[c].at_begin - lines[reference_].at_begin,
                           lines[c].at_end - lines[reference_].at_end};
      maps_[c].origin_ns = estimate.begin_ns - maps_[c].offset_ns;
      maps_[c].offset_ns += std::llround(line.at_begin);
      maps_[c].drift = (line.at_end - line.at_begin) / length;
    }
    constraints_.collect(maps_, 1);
    const std::vector<double> unchanged(clocks_.size(), 0);
    for (int i = 0; i < kCollections && constraints_.violations() > 0; ++i) {
      if (!add_constants(unchanged)) return;
      constraints_.collect_more(maps_);
    }
    solved_ = constraints_.violations() == 0;
  }

  ClockGroups clocks_;
  ClockConstraints constraints_;
  std::vector<ClockMap> maps_;
  std::uint32_t reference_ = 0;
  bool solved_ = false;
};

}  // namespace

bool ClockEstimate::drifts() const {
  return std::ranges::any_of(maps, [](const ClockMap& m) { return m.drift != 0; });
}

ClockEstimate estimate_clocks(const Trace& trace, const CallMatching& matching,
                              ClockGroups clocks) {
  return Estimator(trace, matching, std::move(clocks)).run();
}

}  // namespace slackline
