#pragma once

#include <cstdint>

#include "trace/goal/labels.h"
#include "trace/goal/program.h"

namespace slackline {

/// The lines of a rank block as programs write them, read in one go each:
///
///   l17: calc 5000
///   l18: send 1024b to 3 tag 7
///   l18 requires l17
///
/// Labels are one prefix and the number of their operation, one space stands between words, and
/// nothing before or behind them. Whatever looks different is left to the general reader.
class GoalUsualLines {
 public:
  GoalUsualLines(GoalRank& rank, GoalLabels& labels, std::uint64_t rank_count)
      : rank_(rank), labels_(labels), rank_count_(rank_count) {}

  /// Takes lines from `at`, the beginning of one, as long as they are usual ones and well before
  /// `end`. Returns where it stopped: the beginning of a line.
  const char* take(const char* at, const char* end);

 private:
  const char* line(const char* at);
  const char* operation(const char* at, std::uint64_t number);
  const char* transfer(const char* at, GoalKind kind);
  const char* dependency(const char* at, std::uint64_t dependent);
  const char* label(const char* at, std::uint64_t& number) const;

  GoalRank& rank_;
  GoalLabels& labels_;
  std::uint64_t rank_count_;
};

}  // namespace slackline
