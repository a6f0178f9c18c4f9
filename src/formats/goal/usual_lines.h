#pragma once

#include <cstdint>
#include <string_view>

#include "formats/goal/labels.h"
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
  /// The last label at one place of a line, for the next one there (see usual_lines.cc).
  struct LastLabel {
    std::uint64_t text = 1;  // without the last two digits; like this it matches nothing
    std::uint64_t mask = 0;
    std::uint64_t base = 0;    // value without the last two digits
    std::uint32_t shift = 0;   // where in the text those are
    std::uint32_t length = 0;  // with the character behind it

    bool resembles(const char*& at, std::uint64_t& value);
    void remember(const char* at, unsigned digits, std::uint64_t value);
  };
  struct LastTag {
    std::uint64_t text = 1;
    std::uint64_t mask = 0;
    std::uint64_t value = 0;
    std::uint32_t length = 0;
  };

  const char* line(const char* at);
  const char* operation(const char* at);
  template <GoalKind kind>
  const char* transfer(const char* at);
  const char* tag(const char* at, std::uint64_t& value);
  const char* dependency(const char* at, std::uint64_t dependent);
  const char* new_label(const char* at, LastLabel& last, char behind, std::uint64_t& value);
  bool prefix_stands(const char* at) const;

  GoalRank& rank_;
  GoalLabels& labels_;
  std::uint64_t rank_count_;
  std::string_view prefix_;
  LastLabel defined_;
  LastLabel dependent_;
  LastLabel required_;
  LastTag tag_;
};

}  // namespace slackline
