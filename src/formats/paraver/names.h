#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/call_tree.h"
#include "trace/operation.h"

namespace slackline::paraver {

/// What the files beside a .prv say of its numbers.
struct Names {
  std::map<std::int64_t, std::string> functions;  ///< of user functions (event type 60000019)
  std::map<std::int64_t, std::string> counters;   ///< by the types of their events
  std::map<std::int64_t, std::string> callers;    ///< functions that called MPI, or their callers
  std::map<std::int64_t, CodeLocation> caller_lines;  ///< the lines they called from; no function
  std::map<std::int64_t, Operation> operations;       ///< MPI values beyond those everybody uses
  std::vector<std::string> nodes;                     ///< host names, of nodes from 1
  std::string mpi_library;                            ///< empty if not given
};

/// Reads the .pcf and .row files beside `prv` (x.prv or x.prv.gz), as far as they are there and
/// make sense.
Names read_names(const std::filesystem::path& prv);

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

inline constexpr std::int64_t kFirstCounter = 42000000;
inline constexpr std::int64_t kLastCounter = 42999999;
/// In one trace. Processors count fewer at a time.
inline constexpr std::size_t kMostCounters = 64;

inline constexpr bool is_counter(std::int64_t type) {
  return type >= kFirstCounter && type <= kLastCounter;
}

/// The hardware counters of a trace, by the types of their events, in the order of their first
/// occurrence.
class CounterTypes {
 public:
  /// The counter's number; none beyond kMostCounters. Linear in the number of counters.
  std::optional<std::size_t> number(std::int64_t type);
  std::size_t size() const { return types_.size(); }
  /// As the .pcf has it, or PAPI's name where that is known, else "counter_42000000".
  std::string name(std::size_t number, const Names& names) const;

 private:
  std::vector<std::int64_t> types_;
};

/// The type under which counter `number` of this name is written.
std::int64_t counter_type(std::string_view name, std::size_t number);

}  // namespace slackline::paraver
