#include "sim/tolerance.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace slackline {
namespace {

// The first steps are short, where tolerances of well coupled programs lie.
constexpr double kFirstStep = 1.05;

class Search {
 public:
  explicit Search(const std::function<double(double)>& makespan) : makespan_(makespan) {}

  double at(double factor) {
    const auto known = tried_.find(factor);
    if (known != tried_.end()) return known->second;
    return tried_[factor] = makespan_(factor);
  }

  SimulatedTolerance find(double degradation, double largest, double precision) {
    const double limit = at(1) * (1 + degradation);
    SimulatedTolerance found{.degradation = degradation};
    for (double excess = kFirstStep - 1;; excess *= 2) {
      const double factor = std::min(1 + excess, largest);
      if (at(factor) > limit) {
        found.beyond = factor;
        break;
      }
      found.factor = factor;
      if (factor >= largest) {
        found.unlimited = true;
        return found;
      }
    }
    while (found.beyond - found.factor > precision * (found.beyond - 1) + 1e-6) {
      const double middle = (found.factor + found.beyond) / 2;
      (at(middle) > limit ? found.beyond : found.factor) = middle;
    }
    return found;
  }

  const std::map<double, double>& tried() const { return tried_; }

 private:
  const std::function<double(double)>& makespan_;
  std::map<double, double> tried_;
};

}  // namespace

ToleranceSearch search_tolerances(const std::function<double(double)>& makespan,
                                  const std::vector<double>& degradations, double largest,
                                  double precision) {
  Search search(makespan);
  ToleranceSearch result;
  result.base = search.at(1);
  for (const double d : degradations) {
    result.tolerances.push_back(search.find(d, largest, precision));
  }
  result.tried.assign(search.tried().begin(), search.tried().end());
  for (std::size_t i = 1; i < result.tried.size(); ++i) {
    if (result.tried[i].second < result.tried[i - 1].second * (1 - 1e-9)) result.monotone = false;
  }
  return result;
}

}  // namespace slackline
