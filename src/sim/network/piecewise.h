#pragma once

#include <string_view>
#include <vector>

namespace slackline {

/// A piecewise affine function of a message's size in bytes, as SimGrid writes them:
/// "t0:a0[:b0];t1:a1[:b1];..". Segment i holds for t_i < x <= t_(i+1). One number alone holds
/// everywhere. Why piecewise: Bédaride et al., PMBS 2013, section 4.1. As in SimGrid 4; its version
/// 3.32 counted x = t0 = 0 as part of the first segment. Cost of a value: O(log segments).
class Piecewise {
 public:
  Piecewise() = default;
  /// Throws usage Error naming `what` when the text is malformed or has a negative number.
  Piecewise(std::string_view text, std::string_view what);

  /// a_i, or 1 below the first segment: a factor.
  double factor(double x) const;
  /// a_i + b_i x, or 0 below the first segment: seconds.
  double seconds(double x) const;
  /// The least a_i; 1 where there is none.
  double least_factor() const;
  bool empty() const { return segments_.empty(); }

 private:
  struct Segment {
    double above, constant, slope;
  };
  const Segment* segment(double x) const;

  std::vector<Segment> segments_;  // ascending
};

}  // namespace slackline
