#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analysis/paths/scenario_times.h"
#include "analysis/summary/computation_balance.h"
#include "analysis/summary/failed_polls.h"
#include "analysis/summary/gap_times.h"
#include "analysis/summary/limit_losses.h"
#include "analysis/summary/limits.h"
#include "analysis/summary/polled_gaps.h"
#include "calls/call_set.h"

namespace slackline {

/// What a program computes more (or less, if negative) before each call, ns by rank and call.
using GapChanges = std::vector<std::vector<std::int64_t>>;

/// Calls that a program does not make, or that take less.
struct CallChanges {
  /// Calls that are not made; so no call waits for them, nor for what they send.
  std::optional<CallSet> omitted{};
  /// What they move is moved by other calls: they save what messages cost that is no transfer.
  bool keeps_bytes = false;
  /// By operation: the part of the time without waiting that is saved.
  std::array<double, kOperationCount> saved{};
  /// No call waits until the receiver of a message is ready.
  bool no_late_receivers = false;
};

/// What a run does not have, or does otherwise.
struct RunScenario {
  std::array<double, kLimits> without{};  ///< which part of a loss that is no waiting
  std::optional<BalanceOf> balance{};
  bool unlocked = false;    ///< ranks do not wait for locks
  bool alone = false;       ///< nor for each other
  bool shared_out = false;  ///< what one rank does alone
  std::shared_ptr<const GapChanges> gaps{};
  std::shared_ptr<const CallChanges> calls{};

  RunScenario without_loss(Limit limit, double part = 1) const {
    RunScenario s = *this;
    s.without[static_cast<std::size_t>(limit)] = part;
    return s;
  }
  bool operator==(const RunScenario&) const = default;
};

/// How a run goes in a scenario, ns.
struct RunOutcome {
  double run_ns = 0;
  double waiting_ns = 0;            ///< of all ranks
  std::vector<double> met_at_ns{};  ///< when all ranks met, from the start of the run
};

/// A measured run, what it loses, and the run as it would be in scenarios, each executed once and
/// eight in one walk (analysis/paths/scenario_times.h). Not to be copied.
class ScenarioRuns {
 public:
  static constexpr std::size_t kLanes = 8;

  /// Keeps what `inputs` refers to. O(calls + waits).
  explicit ScenarioRuns(const LimitInputs& inputs);
  ScenarioRuns(const ScenarioRuns&) = delete;
  ScenarioRuns& operator=(const ScenarioRuns&) = delete;

  const LimitInputs& inputs() const { return in_; }
  /// The frame of the program's own by frame of the call tree.
  const std::vector<FrameId>& own_frames() const { return own_; }
  LimitLosses& losses() { return losses_; }
  const PolledGaps& polled() const { return polled_; }
  const FailedPolls& polls() const { return polls_; }
  const GapTimes& gaps() const { return gaps_; }
  const ComputationBalance& balance() const { return balance_; }
  /// The analysed interval, as far as all ranks are recorded, in the trace's own time.
  const TimeInterval& interval() const { return gaps_.interval(); }

  /// Executes scenarios, in a walk of O(calls + members of collectives) for eight of them; 72 bytes
  /// a call that another one waits for.
  std::vector<RunOutcome> execute(std::span<const RunScenario> scenarios);
  /// Gives `program`, which has the calls of the run, the times that they have in a scenario.
  Trace execute(const RunScenario& scenario, Trace program);
  /// Executes those that were not, and keeps what is found, and the scenarios.
  void keep(std::span<const RunScenario> scenarios);
  /// What is kept of one of them, which is executed if it was not.
  const RunOutcome& of(const RunScenario& scenario);
  /// How much shorter one run is than another, as a share of interval(); negative: longer.
  LimitGain gain(const RunOutcome& longer, const RunOutcome& shorter);

 private:
  RunScenario canonical(RunScenario s) const;
  std::optional<std::size_t> kept_at(const RunScenario& scenario) const;
  double deviation_ns(const RunOutcome& with, const RunOutcome& without);

  const LimitInputs in_;
  const std::vector<FrameId> own_;
  LimitLosses losses_;
  const PolledGaps polled_;
  const FailedPolls polls_;
  const GapTimes gaps_;
  const ComputationBalance balance_;
  const CallSet sources_;
  ScenarioMemory<ScenarioTimes<kLanes>> memory_;
  std::deque<std::pair<RunScenario, RunOutcome>> kept_;
};

}  // namespace slackline
