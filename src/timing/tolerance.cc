// The largest x with T(x) <= B, by Newton's iteration on a convex function.
//
// A line of T lies nowhere above T, so the x at which it reaches B lies right of the solution or on
// it. Start with the line that reaches B first, of all lines known (the base's; when T is flat
// there, the one that T follows in the end), go to where it reaches B, take the line of T there,
// and so on: the values fall towards the solution and the slopes with them, and as there are
// finitely many lines the iteration ends with the line on which the solution lies.
//
// A pass gives eight values for little more than the price of one. So the lines of some multiples
// of the base are taken with the base's own, and all bounds that are asked for go on together: two
// or three passes are common for all of them. To keep numbers small the lines are taken at the
// whole ticks on both sides of x. The solution x of the last line is exact if T is that line on
// both sides (by convexity then also at x); otherwise T is taken at x itself. LLAMP section II-D2
// asks a linear program the same question.

#include "timing/tolerance.h"

#include <vector>

#include "base/error.h"
#include "base/parallel.h"

namespace slackline {
namespace {

Int128 ceiling(const Ticks& x) {
  return (x.numerator + x.denominator - 1) / x.denominator;
}

/// A bound of numerator / denominator ticks on T, which T at the base does not exceed.
struct Bound {
  Int128 numerator;
  Int128 denominator;

  Ticks reached_by(const PathLine& line) const {
    return make_ticks(numerator - line.intercept * denominator, line.slope * denominator);
  }
  bool exceeded_by(const PathLine& line, const Ticks& x) const {
    if (line.slope == 0) return line.intercept * denominator > numerator;
    return reached_by(line) < x;  // no product of three factors, which could overflow
  }
};

/// The known line that reaches the bound first; slope 0 if none ever does.
PathLine first_to_reach(const MakespanFunction& makespan, const Bound& bound) {
  PathLine best;
  for (const auto& e : makespan.evaluations()) {
    if (e.line.slope == 0) continue;
    if (best.slope == 0 || bound.reached_by(e.line) < bound.reached_by(best)) best = e.line;
  }
  return best;
}

/// Is T known to be `line` around x?
bool holds_around(const MakespanFunction& makespan, const PathLine& line, const Ticks& x) {
  bool before = false;
  bool after = false;
  for (const auto& e : makespan.evaluations()) {
    if (!(e.line == line)) continue;
    before = before || !(x < e.x);
    after = after || !(e.x < x);
  }
  return before && after;
}

/// A bound on its way to its solution.
struct Search {
  Bound bound;
  bool solved = false;
  std::optional<Ticks> x{};  // so far; of the solved ones the solution
};

/// The base's line, and with it some further on, where bounds are likely to be reached.
PathLine begin_search(MakespanFunction& makespan) {
  const Ticks base = makespan.base();
  std::vector<PathProgram::Query> queries{{base, Side::right}};
  for (const int halves : {3, 4, 6, 12, 40, 200, 2000}) {
    if (base.numerator > 0) {
      queries.push_back({Ticks{ceiling({base.numerator * halves, base.denominator * 2}), 1}});
    }
  }
  return makespan.lines_at(queries).front();
}

/// One step for a bound, whose x's neighbours are known. True: it is solved.
bool solved_by_step(MakespanFunction& makespan, Search& search) {
  const Ticks x = *search.x;
  const PathLine line = first_to_reach(makespan, search.bound);
  // A line that reaches the bound before x has been found: go on there.
  if (search.bound.reached_by(line) < x) return false;
  if (holds_around(makespan, line, x)) return true;
  return !search.bound.exceeded_by(makespan.line_at(x, Side::left), x);
}

void search_together(MakespanFunction& makespan, std::vector<Search>& searches) {
  for (;;) {
    std::vector<PathProgram::Query> queries;
    for (Search& search : searches) {
      if (search.solved) continue;
      const PathLine line = first_to_reach(makespan, search.bound);
      if (line.slope == 0) {
        search.solved = true;  // no path pays the parameter
        continue;
      }
      search.x = search.bound.reached_by(line);
      const Int128 above = ceiling(*search.x);
      queries.push_back({Ticks{above, 1}, Side::left});
      if (above > 0) queries.push_back({Ticks{above - 1, 1}, Side::right});
    }
    if (queries.empty()) return;
    makespan.lines_at(queries, kAllThreads);
    for (Search& search : searches) {
      if (!search.solved) search.solved = solved_by_step(makespan, search);
    }
  }
}

}  // namespace

std::vector<Tolerance> find_tolerances(MakespanFunction& makespan,
                                       std::span<const std::int64_t> degradations_ppm) {
  constexpr std::int64_t kMillion = 1'000'000;
  const Ticks base = makespan.base();
  const PathLine line = begin_search(makespan);
  if (line.slope == 0) makespan.asymptote();
  std::vector<Search> searches;
  for (const std::int64_t ppm : degradations_ppm) {
    expects(ppm >= 0, "degradations that are not negative");
    searches.push_back(
        {.bound = {line.scaled_at(base) * (kMillion + ppm), base.denominator * kMillion}});
  }
  search_together(makespan, searches);
  std::vector<Tolerance> result;
  for (std::size_t i = 0; i < searches.size(); ++i) {
    const double growth = 1.0 + static_cast<double>(degradations_ppm[i]) / 1e6;
    result.push_back({.degradation_ppm = degradations_ppm[i],
                      .bound_ns = makespan.value_ns(line, base) * growth,
                      .value = searches[i].x});
  }
  return result;
}

Tolerance find_tolerance(MakespanFunction& makespan, std::int64_t degradation_ppm) {
  return find_tolerances(makespan, {&degradation_ppm, 1}).front();
}

}  // namespace slackline
