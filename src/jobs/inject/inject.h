#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "jobs/inject/counts.h"
#include "jobs/inject/settings.h"
#include "jobs/record/launcher.h"

namespace slackline {

/// A command with an injection in its ranks, for as long as this object lives: it owns the folder
/// into which the ranks write their counts.
class InjectedCommand {
 public:
  /// Throws Error when the library was not built, or the launcher is not known (find_launcher).
  InjectedCommand(const std::vector<std::string>& command, const std::string& mpi,
                  const Injection& injection);
  ~InjectedCommand();
  InjectedCommand(const InjectedCommand&) = delete;
  InjectedCommand& operator=(const InjectedCommand&) = delete;

  /// What is to be executed; another command that starts jobs, such as `slackline record`, may
  /// stand before the launcher.
  const LaunchPlan& plan() const { return plan_; }
  /// The variables that the plan hands to the ranks.
  const Environment& variables() const { return variables_; }
  const Launcher& launcher() const { return launcher_; }
  /// What the ranks have counted so far.
  InjectionCounts counts() const;

 private:
  std::filesystem::path folder_;
  Launcher launcher_;
  Environment variables_;
  LaunchPlan plan_;
};

/// Why nothing was injected, as a clause; empty when it took hold in all ranks that were seen.
std::string why_not_injected(const InjectionCounts& counts);

}  // namespace slackline
