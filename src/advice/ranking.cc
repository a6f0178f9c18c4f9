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

/// Hypotheses of one family are alternatives.
enum class Family : std::uint8_t { distribution, less_computation, fewer_messages, volume, other };

Family family(Problem problem) {
  switch (problem) {
    case Problem::imbalance:
    case Problem::variation:
    case Problem::outliers:
    case Problem::slow_ranks:
      return Family::distribution;
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
  if (h.each_instance != other.each_instance)
    factor = h.each_instance ? 1 / kEachInstance : kEachInstance;
  if (h.path == other.path) return factor;
  return encloses(paths, other.path, h.path) ? factor * kGeneral : factor / kGeneral;
}

/// Whether `other`, about the same problem as `h`, makes it superfluous.
bool superseded(const CallPaths& paths, const EvaluatedHypothesis& h,
                const EvaluatedHypothesis& other) {
  const Hypothesis& a = h.hypothesis;
  const Hypothesis& b = other.hypothesis;
  const Family f = family(a.problem);
  if (f != family(b.problem)) return false;
  if (f == Family::other && (a.problem != b.problem || a.place != b.place)) return false;
  if (a.rank != b.rank && a.problem == Problem::slow_ranks && b.problem == Problem::slow_ranks) {
    return false;
  }
  if (!comparable(paths, a, b)) return false;
  return other.gain_ns > advantage(paths, a, b) * h.gain_ns;
}

}  // namespace

std::vector<EvaluatedHypothesis> ranked(std::vector<EvaluatedHypothesis> all,
                                        const CallPaths& paths, double least_ns) {
  std::erase_if(all, [&](const EvaluatedHypothesis& h) { return h.gain_ns < least_ns; });
  std::ranges::stable_sort(all, std::ranges::greater{}, &EvaluatedHypothesis::gain_ns);
  std::vector<EvaluatedHypothesis> kept;
  for (const EvaluatedHypothesis& h : all) {
    const bool needless = std::ranges::any_of(all, [&](const EvaluatedHypothesis& other) {
      return &other != &h && superseded(paths, h, other);
    });
    const bool repeated = std::ranges::any_of(kept, [&](const EvaluatedHypothesis& other) {
      return other.gain_ns == h.gain_ns && superseded(paths, {h.hypothesis, h.gain_ns - 1}, other);
    });
    if (!needless && !repeated) kept.push_back(h);
  }
  return kept;
}

}  // namespace slackline
