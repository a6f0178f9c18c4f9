#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/testing/text_trace.h"
#include "trace/testing/plausible_trace.h"
#include "whatif/program_writer.h"
#include "whatif/scenario.h"

namespace slackline::testing {

// Edited programs, for tests that write programs and edits in their text forms.

inline EditedProgram edited(const Trace& trace, const std::vector<std::string>& edits) {
  Scenario scenario;
  for (const std::string& text : edits) scenario.edits.push_back(parse_edit(text));
  return apply(scenario, {trace, {}});
}

/// Computation before each call of a rank, and after the last one.
inline std::vector<std::int64_t> gaps(const Trace& trace, std::int32_t rank) {
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i <= trace.calls(rank).size(); ++i) {
    all.push_back(trace.calls(rank).useful_ns(i));
  }
  return all;
}

inline std::vector<std::string> operations(const Trace& trace, std::int32_t rank) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < trace.calls(rank).size(); ++i) {
    names.emplace_back(identifier(trace.calls(rank).operation(i)));
  }
  return names;
}

/// Rank 1 computes 300 + 100 ns in two visits to foo where rank 0 computes 100 + 100.
inline Trace two_visits() {
  return timed_trace(2, R"(
rank 0
  @0 +10 init
  @20 enter foo
  @120 leave foo
  @130 +200 barrier
  @340 enter foo
  @440 leave foo
  @450 +10 barrier
rank 1
  @0 +10 init
  @20 enter foo
  @320 leave foo
  @320 +10 barrier
  @340 enter foo
  @440 leave foo
  @450 +10 barrier
)");
}

/// The edits give the program that is written in `expected`.
inline void expect_edited(const Trace& trace, const std::vector<std::string>& edits,
                          std::string_view expected) {
  const EditedProgram program = edited(trace, edits);
  EXPECT_TRUE(same_content(program.trace, untimed_copy(untimed_trace(trace.ranks(), expected))))
      << to_text(program.trace);
}

}  // namespace slackline::testing
