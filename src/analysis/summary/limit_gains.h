#pragma once

#include <array>
#include <optional>

#include "analysis/summary/computation_balance.h"
#include "analysis/summary/limit_losses.h"
#include "analysis/summary/limits.h"
#include "analysis/summary/scenario_runs.h"

namespace slackline {

/// How much shorter the measured run would be without its losses, each of them alone, and what its
/// waiting comes from.
struct LimitGains {
  /// As shares of the analysed interval; nothing where no scenario is defined or can be trusted.
  std::array<std::optional<LimitGain>, kLimits> of{};
  LimitParts waiting_ns{};  ///< adds up to LimitLosses::waiting_ns(); of processors it may be < 0
  /// What balanced computation best; nothing: not to wait for locks.
  std::optional<BalanceOf> balance{};
  /// Serialisation is one rank that works alone; else ranks that wait for each other in turn.
  bool works_alone = false;
  /// Imbalance that shows only where ranks have processors of their own.
  bool hides_imbalance = false;
};

/// The losses of `runs` must be without waiting. Two to five walks over the run, unless its
/// scenarios were executed before.
LimitGains limit_gains(ScenarioRuns& runs);

}  // namespace slackline
