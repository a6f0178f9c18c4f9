#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

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
  /// The run's place among the different ones, from 0, in the order in which they were added.
  /// `content`: what tells runs apart; `name`: of the run, where it is a new one. If it is none, a
  /// Finding names `path` and the run that it is. O(log runs).
  std::size_t add(std::string content, std::string name, const std::string& path,
                  Findings& findings);
  /// Whether a trace is of another run than those before: by its content and by `on`, the run of it
  /// that is analysed. If not, a Finding names both files.
  bool add(const OpenedTrace& opened, Findings& findings, std::string_view on = {});
  /// Throws usage Error where there are not at least two.
  void require_several() const;
  /// Names of the runs that `other` has, too, as they are called here.
  std::vector<std::string> common_with(const DistinctRuns& other) const;

 private:
  struct Entry {
    std::size_t place;
    std::string name;
  };
  std::map<std::string, Entry> runs_{};  ///< by content
};

/// The files of one side of a comparison: its first one, and those of an option for further ones.
std::vector<std::string> with_more(const std::string& first, const std::vector<std::string>& more);

}  // namespace slackline
