#include "base/difference_constraints.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace slackline {
namespace {

constexpr double kFree = std::numeric_limits<double>::infinity();
// Times are within 2^53 ns; what is closer together than this is rounding.
constexpr double kRounding_ns = 1e-3;

/// Sweeps forward and back until `relax` changes nothing; false when that takes longer than a
/// system with a solution needs.
template <class Relax>
bool relax_all(const std::vector<DifferenceConstraint>& constraints, std::size_t count,
               Relax relax) {
  for (std::size_t sweep = 0; sweep <= count + 1; ++sweep) {
    bool changed = false;
    if (sweep % 2 == 0) {
      for (const DifferenceConstraint& c : constraints) changed |= relax(c);
    } else {
      for (auto c = constraints.rbegin(); c != constraints.rend(); ++c) changed |= relax(*c);
    }
    if (!changed) return true;
  }
  return false;
}

}  // namespace

DifferenceSystem::DifferenceSystem(std::size_t count, std::vector<DifferenceConstraint> constraints)
    : count_(count), constraints_(std::move(constraints)) {
  std::ranges::sort(constraints_, {},
                    [](const DifferenceConstraint& c) { return std::tuple(c.from, c.to); });
}

bool DifferenceSystem::relax_highs(std::vector<double>& x) const {
  return relax_all(constraints_, count_, [&x](const DifferenceConstraint& c) {
    if (x[c.from] <= x[c.to] + c.most + kRounding_ns) return false;
    x[c.from] = x[c.to] + c.most;
    return true;
  });
}

bool DifferenceSystem::relax_lows(std::vector<double>& x) const {
  return relax_all(constraints_, count_, [&x](const DifferenceConstraint& c) {
    if (x[c.to] >= x[c.from] - c.most - kRounding_ns) return false;
    x[c.to] = x[c.from] - c.most;
    return true;
  });
}

std::vector<FeasibleInterval> DifferenceSystem::intervals(std::uint32_t reference) const {
  std::vector<double> high(count_, kFree);
  std::vector<double> low(count_, -kFree);
  high[reference] = low[reference] = 0;
  if (!relax_highs(high) || !relax_lows(low)) return {};
  std::vector<FeasibleInterval> all;
  all.reserve(count_);
  for (std::size_t v = 0; v < count_; ++v) all.push_back({low[v], high[v]});
  return all;
}

std::vector<std::int64_t> DifferenceSystem::solution_near(const std::vector<double>& target) const {
  std::vector<double> below = target;
  std::vector<double> above = target;
  if (!relax_highs(below) || !relax_lows(above)) return {};
  std::vector<std::int64_t> x;
  x.reserve(count_);
  // Rounding down the mean of two integer solutions keeps every constraint.
  for (std::size_t v = 0; v < count_; ++v) {
    x.push_back(static_cast<std::int64_t>(std::floor((below[v] + above[v]) / 2)));
  }
  return x;
}

}  // namespace slackline
