#include "advice/combination.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "advice/hypotheses.h"

namespace slackline {
namespace {

/// A further proposal joins a combination if it gains this share of the run more.
constexpr double kLeastFurtherGain = 0.01;
constexpr std::size_t kLargestCombination = 4;

/// As if what is computed before each call were changed by the same factors, one after the other.
GapChanges one_after_the_other(const Trace& trace, const GapChanges& a, const GapChanges& b) {
  GapChanges sum = a;
  for (std::size_t r = 0; r < sum.size(); ++r) {
    const RankCalls& calls = trace.calls(static_cast<std::int32_t>(r));
    for (std::size_t i = 0; i < sum[r].size(); ++i) {
      const auto gap = static_cast<double>(calls.useful_ns(i));
      const auto first = static_cast<double>(a[r][i]);
      const auto second = static_cast<double>(b[r][i]);
      sum[r][i] += static_cast<std::int64_t>(gap > 0 ? second * (1 + first / gap) : second);
    }
  }
  return sum;
}

/// The change of a proposal as a scenario; nothing where it is none of the run.
std::optional<RunScenario> change_of(const Hypothesis& h, const ProgramView& program) {
  RunScenario change = h.change;
  if (h.of_computation) {
    change.gaps = std::make_shared<const GapChanges>(gap_changes(h.edits.front(), program));
  }
  return change == RunScenario() ? std::nullopt : std::optional(std::move(change));
}

/// Two changes of calls would have to be one.
bool compatible(const RunScenario& a, const RunScenario& b) {
  return a.calls == nullptr || b.calls == nullptr;
}

}  // namespace

RunScenario both(RunScenario a, const RunScenario& b) {
  for (std::size_t k = 0; k < kLimits; ++k) a.without[k] = std::max(a.without[k], b.without[k]);
  if (b.balance) a.balance = b.balance;
  a.unlocked = a.unlocked || b.unlocked;
  a.alone = a.alone || b.alone;
  a.shared_out = a.shared_out || b.shared_out;
  if (a.gaps == nullptr) a.gaps = b.gaps;
  if (a.calls == nullptr) a.calls = b.calls;
  return a;
}

namespace {

/// A proposal and its change of the run.
struct Member {
  std::size_t proposal;
  RunScenario change;
};

/// The first member, the first two and so on together.
std::vector<RunScenario> sums(const Trace& trace, std::span<const Member> members) {
  std::vector<RunScenario> all;
  RunScenario sum;
  for (const Member& m : members) {
    const std::shared_ptr<const GapChanges> gaps = sum.gaps;
    sum = both(std::move(sum), m.change);
    if (gaps != nullptr && m.change.gaps != nullptr) {
      sum.gaps =
          std::make_shared<const GapChanges>(one_after_the_other(trace, *gaps, *m.change.gaps));
    }
    all.push_back(sum);
  }
  return all;
}

std::vector<Member> members_of(std::span<const Proposal> proposals, const ProgramView& program) {
  std::vector<Member> members;
  for (std::size_t i = 0; i < proposals.size() && members.size() < kLargestCombination; ++i) {
    std::optional<RunScenario> change = change_of(proposals[i].hypothesis, program);
    if (!change) continue;
    const bool fits = std::ranges::all_of(
        members, [&](const Member& m) { return compatible(m.change, *change); });
    if (fits) members.push_back({i, std::move(*change)});
  }
  return members;
}

}  // namespace

Combination combination(std::span<const Proposal> proposals, ScenarioRuns& runs,
                        const ProgramView& program) {
  std::vector<Member> members = members_of(proposals, program);
  const double run_ns = runs.of(RunScenario()).run_ns;
  const double least_ns = kLeastFurtherGain * static_cast<double>(runs.interval().length_ns());
  while (members.size() > 1) {
    const std::vector<RunOutcome> outcomes = runs.execute(sums(program.trace, members));
    const auto adds_little = [&](std::size_t i) {
      return outcomes[i - 1].run_ns - outcomes[i].run_ns < least_ns;
    };
    std::size_t i = 1;
    while (i < members.size() && !adds_little(i)) ++i;
    if (i == members.size()) {
      Combination all{{}, run_ns - outcomes.back().run_ns};
      for (const Member& m : members) all.proposals.push_back(m.proposal);
      return all;
    }
    members.erase(members.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return {};
}

}  // namespace slackline
