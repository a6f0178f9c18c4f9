#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "formats/paraver/names.h"
#include "trace/call_tree.h"

namespace slackline::paraver {

inline constexpr std::int64_t kCaller = 70000000;  ///< + level, 1 is the function that called MPI
inline constexpr std::int64_t kCallerLine = 80000000;  ///< + level
inline constexpr std::int64_t kMostLevels = 100;       ///< that Extrae records

inline constexpr bool is_caller(std::int64_t type) {
  return (type > kCaller && type <= kCaller + kMostLevels) ||
         (type > kCallerLine && type <= kCallerLine + kMostLevels);
}

/// The callers of one call of MPI, as the events of its line give them.
class Callers {
 public:
  void add(std::int64_t type, std::int64_t value);
  bool empty() const { return levels_.empty(); }
  /// The innermost frame of their path in `tree`, to which what is new is added; 0 where nothing is
  /// known. Levels without a name in `names` are left out. Only as many levels as were recorded:
  /// the outermost one need not be main.
  FrameId frame(const Names& names, CallTree& tree) const;
  auto operator<=>(const Callers&) const = default;

 private:
  struct Level {
    std::int64_t function = 0;
    std::int64_t line = 0;
    auto operator<=>(const Level&) const = default;
  };
  std::vector<Level> levels_;  // innermost first
};

}  // namespace slackline::paraver
