#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "trace/goal/program.h"
#include "trace/trace.h"

namespace slackline {

/// Does `head`, the beginning of a file, begin a GOAL text ("num_ranks" after blanks and comments)?
bool looks_like_goal_text(std::string_view head);

/// Reads GOAL text (grammar: doc/formats/goal.md). `name` is the file's, for messages. Blocks may
/// come in any order; every rank has one. Throws Error with file, line
/// and column. Files without comments are read block by block on up to `threads` threads (0: all).
GoalProgram read_goal_text(std::string_view text, std::string_view name, unsigned threads = 0);

/// Takes rank blocks as they are read.
class GoalBlockSink {
 public:
  virtual ~GoalBlockSink() = default;
  /// The file has this many ranks. Called again when reading begins anew (of what has been handed
  /// over nothing holds any more).
  virtual void begin(std::uint32_t ranks) = 0;
  /// From any thread, in any order. The block may be changed, or moved from.
  virtual void block(std::uint32_t rank, GoalRank& block) = 0;

 protected:
  GoalBlockSink() = default;
  GoalBlockSink(const GoalBlockSink&) = default;
  GoalBlockSink& operator=(const GoalBlockSink&) = default;
};

/// The same, block by block. When it returns every rank's block has been handed over once.
void read_goal_blocks(std::string_view text, std::string_view name, GoalBlockSink& sink,
                      unsigned threads = 0);

/// Writes text that LogGOPSim's converter and read_goal_text() accept, in pieces. Labels are l1,
/// l2, ... by the order of operations; a block's dependencies follow its operations.
template <class Sink>
void write_goal_text(const GoalProgram& program, Sink&& sink);

/// The text of one rank's block, appended.
void append_goal_block(const GoalRank& rank, std::uint32_t number, std::string& text);

template <class Sink>
void write_goal_text(const GoalProgram& program, Sink&& sink) {
  std::string text = "num_ranks " + std::to_string(program.ranks.size()) + "\n";
  for (std::uint32_t r = 0; r < program.ranks.size(); ++r) {
    append_goal_block(program.ranks[r], r, text);
    sink(std::string_view(text));
    text.clear();
  }
  if (!text.empty()) sink(std::string_view(text));
}

/// Reads GOAL text or binary and linearises it.
Trace read_goal_as_trace(std::span<const std::byte> bytes, std::string_view name);

/// Either form. Throws Error.
GoalProgram read_goal(std::span<const std::byte> bytes, std::string_view name);
bool looks_like_goal(std::span<const std::byte> bytes);

/// LogGOPSim's binary form of GOAL (what its txt2bin writes; layout in doc/formats/goal.md).
bool looks_like_goal_binary(std::span<const std::byte> bytes);

/// Throws Error, with the offset, when the bytes are no such file or contradict themselves.
GoalProgram read_goal_binary(std::span<const std::byte> bytes, std::string_view name);

/// The same bytes that txt2bin makes of write_goal_text()'s output.
std::string goal_binary(const GoalProgram& program);

}  // namespace slackline
