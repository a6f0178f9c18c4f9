// Hypotheses about one problem. Balancing a function also balances its caller, instance by instance
// gains at least about as much as over the run, and a faster network is a faster network by any
// name. Only the most specific one should be read, unless it misses much of the gain.

#include "advice/hypothesis.h"

#include <algorithm>
#include <string>

namespace slackline {
namespace {

/// How many times the gain of a more specific hypothesis a more general one must have.
constexpr double kGeneral = 1.1;
/// Balance of each instance is harder to reach than balance over the run.
constexpr double kEachInstance = 1.25;

/// A limit's own gain is the largest that any change against it can have; which change that is says
/// another hypothesis, unless the ranks do not compute.
constexpr double kOnlyLimit = 1.5;

/// Hypotheses of one family are alternatives.
enum class Family : std::uint8_t { distribution, less_computation, order, volume, other };

Family family(const Hypothesis& h) {
  switch (h.problem) {
    case Problem::imbalance:
    case Problem::variation:
    case Problem::outliers:
    case Problem::slow_ranks:
      return Family::distribution;
    case Problem::blocking:
    case Problem::serial:
      return h.gain ? Family::distribution : Family::other;
    case Problem::serialisation:
    case Problem::rendezvous:
      return Family::order;
    case Problem::computation:
      return Family::less_computation;
    case Problem::message_volume:
    case Problem::bandwidth:
      return Family::volume;
    default:
      return Family::other;
  }
}

bool encloses(const CallPaths& paths, PathId outer, PathId inner) {
  while (inner != outer && inner != 0) inner = paths.parent(inner);
  return inner == outer;
}

bool comparable(const CallPaths& paths, const Hypothesis& a, const Hypothesis& b) {
  return encloses(paths, a.path, b.path) || encloses(paths, b.path, a.path);
}

/// How many times the gain of `h` another one about the same problem must have to replace it.
double advantage(const CallPaths& paths, const Hypothesis& h, const Hypothesis& other) {
  double factor = 1;
  if (h.gain.has_value() != other.gain.has_value()) {
    const bool says_more = h.problem == Problem::blocking || other.problem == Problem::blocking;
    factor = h.gain.has_value() == says_more ? kOnlyLimit : 1 / kOnlyLimit;
  }
  if (h.each_instance != other.each_instance)
    factor *= h.each_instance ? 1 / kEachInstance : kEachInstance;
  if (h.path == other.path) return factor;
  return encloses(paths, other.path, h.path) ? factor * kGeneral : factor / kGeneral;
}

/// Whether only one of them should be read.
bool alternatives(const CallPaths& paths, const Hypothesis& a, const Hypothesis& b) {
  const Family f = family(a);
  if (f != family(b)) return false;
  if (f == Family::other && (a.problem != b.problem || a.place != b.place)) return false;
  if (a.rank != b.rank && a.problem == Problem::slow_ranks && b.problem == Problem::slow_ranks) {
    return false;
  }
  return comparable(paths, a, b);
}

}  // namespace

std::vector<EvaluatedHypothesis> ranked(std::vector<EvaluatedHypothesis> all,
                                        const CallPaths& paths, double least_ns) {
  std::erase_if(all, [&](const EvaluatedHypothesis& h) { return h.gain_ns < least_ns; });
  std::ranges::stable_sort(all, std::ranges::greater{}, &EvaluatedHypothesis::gain_ns);
  std::vector<EvaluatedHypothesis> kept;
  for (EvaluatedHypothesis& h : all) {
    const auto is_alternative = [&](const EvaluatedHypothesis& other) {
      return alternatives(paths, h.hypothesis, other.hypothesis);
    };
    // The order in which they come decides where "is better" goes in a circle.
    const bool is_best = std::ranges::all_of(kept, [&](const EvaluatedHypothesis& other) {
      return !is_alternative(other) ||
             h.gain_ns > advantage(paths, other.hypothesis, h.hypothesis) * other.gain_ns;
    });
    if (!is_best) continue;
    std::erase_if(kept, is_alternative);
    kept.push_back(std::move(h));
  }
  return kept;
}

}  // namespace slackline
