#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "base/findings.h"
#include "formats/open/open.h"

namespace slackline {

/// For runs that were given several times.
inline constexpr FindingKind kSameRun{
    "same_run_given_twice", Severity::notice,
    "Traces of the same content given several times; they count as one run."};
/// For runs that stand on both sides of a comparison.
inline constexpr FindingKind kRunOnBothSides{
    "run_on_both_sides", Severity::notice,
    "Runs given for both sides of the comparison; nothing is tested for significance."};

/// Runs of one program that stand for its variation. The same one given twice would make the
/// variation look smaller than it is.
class DistinctRuns {
 public:
  /// Whether the run is another one than those before: by the content of its trace and by `on`, the
  /// run of it that is analysed. If not, a Finding names both files.
  bool add(const OpenedTrace& opened, std::string_view on = {});
  /// Throws usage Error where there are not at least two.
  void require_several() const;
  /// Adds a Finding for each run that is in both.
  void find_common(const DistinctRuns& other, Findings& findings) const;

  const Findings& findings() const { return findings_; }

 private:
  /// By checksum, size and the run that is analysed of the trace.
  std::map<std::tuple<std::string, std::uint64_t, std::string>, std::string> paths_{};
  Findings findings_{};
};

}  // namespace slackline
