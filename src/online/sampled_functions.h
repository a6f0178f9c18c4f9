#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/findings.h"
#include "formats/raw/source_lines.h"
#include "online/rank_activity.h"
#include "online/shared_memory.h"

namespace slackline::online {

/// Functions of a program that are executed until their time is known and then skipped, without a
/// mark in the program.
class SampledFunctions {
 public:
  /// `wanted`: names of functions, which are skipped whichever number or address they return, and
  /// "auto": all others whose time hardly varies and that are seen to change nothing that the
  /// program needs, as far as that can be seen. Empty: none. Throws usage Error where the file has
  /// no debug information, which says what they return, or no function of a name. Cost: reads it.
  SampledFunctions(const std::filesystem::path& program, std::span<const std::string> wanted);

  /// Has the ranks' processes watch them, which are yet to start.
  void hand_over(slk_online_file& file) const;
  /// Names those among the blocks: "solve, called in main (app.c:12)".
  void name(std::vector<SampledBlock>& blocks) const;
  /// Notes what was skipped and what was not, and why.
  void note(SharedMemory& memory, std::int32_t ranks, const std::vector<SampledBlock>& blocks,
            Findings& findings) const;

 private:
  bool is_named(const raw::SourceLines::Symbol& function) const;

  std::filesystem::path program_;
  std::vector<std::string> names_;
  raw::SourceLines lines_;
  std::vector<raw::SourceLines::Symbol> functions_;  ///< by begin
};

}  // namespace slackline::online
