// Balancing computation over ranks.
//
// The hypothesis is that the same work, shared out better, removes the waiting that follows from it
// ("Verifying Causal Connections ...", Hermanns et al. 2008, section 5.2). Ranks form groups (all,
// by host, or by communicator). Over the whole run, each rank's selected computation is scaled so
// that all of a group's ranks have the group's mean (or its minimum or maximum); by visit, the k-th
// visits of a group's ranks to the region are, each by itself, or their computation between the
// same two collectives of all ranks. `by` goes part of the way. Ranks and
// visits without any such computation take no part: nothing of theirs could be scaled.

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/arithmetic.h"
#include "whatif/actions.h"
#include "whatif/computation_pieces.h"
#include "whatif/selection.h"

namespace slackline {
namespace {

enum class Target { mean, minimum, maximum };

Target target_of(const Edit& edit) {
  const std::string* text = edit.find("to");
  if (text == nullptr || *text == "mean") return Target::mean;
  if (*text == "min") return Target::minimum;
  if (*text == "max") return Target::maximum;
  refuse(edit, "to", "no such target", "Choose mean, min or max.");
}

/// Nothing: over the whole run.
std::optional<VisitScope> scope_of(const Edit& edit) {
  const std::string* text = edit.find("over");
  if (text == nullptr || *text == "run") return std::nullopt;
  if (*text == "visit") return VisitScope::region;
  if (*text == "collective") return VisitScope::collective;
  refuse(edit, "over", "no such scope", "Choose run, visit or collective.");
}

/// The group of each rank; -1: in none.
using Groups = std::vector<std::int32_t>;

Groups groups_by_host(const Trace& trace) {
  std::map<std::string, std::int32_t> ids;
  Groups groups;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    const auto next = static_cast<std::int32_t>(ids.size());
    groups.push_back(ids.try_emplace(trace.rank_info(rank).host, next).first->second);
  }
  return groups;
}

Groups group_of_communicator(const Edit& edit, const Trace& trace) {
  const std::int64_t id = *edit.integer("comm");
  if (id < 0 || id >= static_cast<std::int64_t>(trace.communicators().size())) {
    refuse(edit, "comm", "the trace has no such communicator");
  }
  Groups groups(static_cast<std::size_t>(trace.ranks()), -1);
  for (const std::int32_t rank : trace.communicators()[static_cast<std::size_t>(id)].members) {
    groups[static_cast<std::size_t>(rank)] = 0;
  }
  return groups;
}

Groups groups_of(const Edit& edit, const Trace& trace) {
  if (edit.has("comm")) return group_of_communicator(edit, trace);
  const std::string* within = edit.find("within");
  if (within != nullptr && *within == "host") return groups_by_host(trace);
  if (within != nullptr && *within != "run") {
    refuse(edit, "within", "no such group", "Choose run, host, or comm=ID for a communicator.");
  }
  return Groups(static_cast<std::size_t>(trace.ranks()), 0);
}

/// What a group's ranks have of one visit, or of the run.
class Spread {
 public:
  void add(std::int64_t ns) {
    sum_ += static_cast<double>(ns);
    minimum_ = std::min(minimum_.value_or(ns), ns);
    maximum_ = std::max(maximum_.value_or(ns), ns);
    ++count_;
  }
  double target(Target target) const {
    if (count_ == 0) return 0;
    if (target == Target::mean) return sum_ / static_cast<double>(count_);
    return static_cast<double>(target == Target::minimum ? *minimum_ : *maximum_);
  }

 private:
  double sum_ = 0;
  std::optional<std::int64_t> minimum_, maximum_;
  std::size_t count_ = 0;
};

/// Factors by rank and visit that bring `times` to their groups' targets.
std::vector<std::vector<double>> balancing_factors(const VisitTimes& times, const Groups& groups,
                                                   Target target, double by) {
  std::vector<std::vector<Spread>> spreads;  // by group and visit
  for (std::size_t r = 0; r < times.size(); ++r) {
    if (groups[r] < 0) continue;
    const auto group = static_cast<std::size_t>(groups[r]);
    if (spreads.size() <= group) spreads.resize(group + 1);
    std::vector<Spread>& own = spreads[group];
    if (own.size() < times[r].size()) own.resize(times[r].size());
    for (std::size_t v = 0; v < times[r].size(); ++v) {
      if (times[r][v] > 0) own[v].add(times[r][v]);
    }
  }
  std::vector<std::vector<double>> factors(times.size());
  for (std::size_t r = 0; r < times.size(); ++r) {
    factors[r].assign(times[r].size(), 1.0);
    for (std::size_t v = 0; v < times[r].size(); ++v) {
      if (groups[r] < 0 || times[r][v] <= 0) continue;
      const double wanted = spreads[static_cast<std::size_t>(groups[r])][v].target(target);
      factors[r][v] = 1 + by * (ratio_of(wanted, static_cast<double>(times[r][v])) - 1);
    }
  }
  return factors;
}

/// All visits of a rank together.
VisitTimes totals(const VisitTimes& times) {
  VisitTimes sums(times.size());
  for (std::size_t r = 0; r < times.size(); ++r) {
    std::int64_t sum = 0;
    for (const std::int64_t ns : times[r]) sum += ns;
    sums[r].push_back(sum);
  }
  return sums;
}

}  // namespace

PieceLengths balanced_lengths(const Edit& edit, const Trace& trace, const VisitTimes& times) {
  const bool visits = scope_of(edit).has_value();
  const double by = std::min(1.0, edit.factor("by").value_or(1));
  return {
      [visits, factors = balancing_factors(visits ? times : totals(times), groups_of(edit, trace),
                                           target_of(edit), by)](const SelectedPiece& p) {
        const std::vector<double>& of_rank = factors[static_cast<std::size_t>(p.rank)];
        return scaled(p, of_rank[visits ? p.visit : 0]);
      }};
}

Program balance_computation(const Edit& edit, const ProgramView& program, Change& change) {
  const CallPaths paths(program.trace);
  const Selection selection(edit, program, paths);
  const VisitScope scope = scope_of(edit).value_or(VisitScope::region);
  const VisitTimes times = visit_times(program.trace, paths, selection, scope);
  return with_lengths(program, paths, selection, balanced_lengths(edit, program.trace, times),
                      change, scope);
}

}  // namespace slackline
