// The maximum is found by going through the breakpoints of both from left to right, with the
// difference of the lines that hold there: larger minus smaller, so it is not negative. Where it is
// negative at the next breakpoint, the lines cross before that, and the difference, negated, is the
// breakpoint of the maximum. Where it is exactly zero at a breakpoint, whose slope is larger from
// there on decides. All comparisons are of products of 64-bit integers, so they are exact.

#include "timing/piecewise/interval_pass.h"

#include <algorithm>
#include <utility>

namespace slackline::piecewise {
namespace {

using Iterator = std::span<const Breakpoint>::iterator;

struct Cursor {
  Iterator at;
  Iterator end;

  bool done() const { return at == end; }
};

class Maximum {
 public:
  Maximum(const FunctionView& a, const FunctionView& b, const Interval& interval, Line& first_line,
          Breakpoints& result)
      : interval_(interval),
        larger_{a.breakpoints.begin(), a.breakpoints.end()},
        smaller_{b.breakpoints.begin(), b.breakpoints.end()},
        difference_(a.first - b.first),
        result_(result) {
    const Int128 lead = scaled_value(difference_, interval.from);
    second_leads_ = lead < 0 || (lead == 0 && difference_.slope < 0);
    if (second_leads_) swap_roles();
    begin_ = larger_.at;
    second_was_first_ = second_leads_;
    first_line_ = second_leads_ ? b.first : a.first;
    run();
    if (switched_) first_line = first_line_;
  }

  Larger which() const {
    if (switched_) return Larger::neither;
    return second_was_first_ ? Larger::second : Larger::first;
  }

 private:
  void run() {
    while (!larger_.done() || !smaller_.done()) step();
    if (difference_.slope < 0 && scaled_value(difference_, interval_.to) < 0) cross();
  }

  void step() {
    int order = larger_.done() ? 1 : smaller_.done() ? -1 : 0;
    if (order == 0) order = compare(abscissa(*larger_.at), abscissa(*smaller_.at));
    const Abscissa x = abscissa(order <= 0 ? *larger_.at : *smaller_.at);
    bool touching = false;
    if (difference_.slope < 0) {
      const Int128 lead = scaled_value(difference_, x);
      touching = lead == 0;
      if (lead < 0) {
        cross();
        order = -order;
      }
    } else {
      touching = difference_ == Line{};
    }
    const Line before = difference_;
    Breakpoint of_larger{};
    Breakpoint of_smaller{};
    const Iterator mark = larger_.at;
    if (order <= 0) of_larger = *larger_.at++;
    if (order >= 0) of_smaller = *smaller_.at++;
    difference_ += of_larger;
    difference_ -= of_smaller;
    if (touching && difference_.slope < 0) {
      take_over(mark, of_smaller - before);
    } else if (switched_ && order <= 0) {
      result_.push_back(of_larger);
    }
  }

  /// The lines cross between two breakpoints.
  void cross() { take_over(larger_.at, Line{} - difference_); }

  /// The smaller one becomes the larger one; up to `mark` breakpoints were the larger one's.
  void take_over(Iterator mark, const Breakpoint& breakpoint) {
    if (!switched_) {
      result_.assign(begin_, mark);
      switched_ = true;
    }
    if (breakpoint.slope != 0) result_.push_back(breakpoint);
    swap_roles();
  }

  void swap_roles() {
    std::swap(larger_, smaller_);
    difference_ = Line{} - difference_;
  }

  Interval interval_;
  Cursor larger_;
  Cursor smaller_;
  Line difference_;  // larger minus smaller
  Breakpoints& result_;
  Line first_line_{};
  Iterator begin_{};
  bool second_leads_ = false;
  bool second_was_first_ = false;
  bool switched_ = false;
};

}  // namespace

Larger maximum(const FunctionView& a, const FunctionView& b, const Interval& interval,
               Line& first_line, Breakpoints& breakpoints) {
  return Maximum(a, b, interval, first_line, breakpoints).which();
}

void subtract(std::span<const Breakpoint> a, std::span<const Breakpoint> b,
              Breakpoints& difference) {
  difference.clear();
  auto left = a.begin();
  auto right = b.begin();
  while (left != a.end() && right != b.end()) {
    const int order = compare(abscissa(*left), abscissa(*right));
    if (order < 0) {
      difference.push_back(*left++);
    } else if (order > 0) {
      difference.push_back(Line{} - *right++);
    } else {
      const Line change = *left++ - *right++;
      if (change.slope != 0) difference.push_back(change);
    }
  }
  difference.insert(difference.end(), left, a.end());
  for (; right != b.end(); ++right) difference.push_back(Line{} - *right);
}

void sort_and_combine(Breakpoints& breakpoints) {
  std::ranges::sort(breakpoints, [](const Breakpoint& a, const Breakpoint& b) {
    return compare(abscissa(a), abscissa(b)) < 0;
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < breakpoints.size();) {
    const Abscissa x = abscissa(breakpoints[i]);
    Breakpoint sum = breakpoints[i];
    for (++i; i < breakpoints.size() && compare(abscissa(breakpoints[i]), x) == 0; ++i) {
      sum += breakpoints[i];
    }
    if (sum.slope != 0) breakpoints[kept++] = sum;
  }
  breakpoints.resize(kept);
}

}  // namespace slackline::piecewise
