#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slackline::paraver {

/// Line 1 of a .prv file:
/// `#Paraver (date at time):duration[_unit]:nodes:applications:application...[,communicators]`.
struct Header {
  std::string started;              ///< ISO 8601, empty if the date is not understood
  std::int64_t duration_ns = 0;     ///< of the whole run
  std::int64_t ns_per_unit = 1000;  ///< of every time in the file; without a unit: microseconds
  std::vector<std::int64_t> nodes;  ///< processors of each node; empty if not told
  struct Application {
    std::vector<std::int32_t> node_of_task;  ///< from 1, 0 unknown; as many as tasks
    std::int32_t first_rank = 0;             ///< rank of its first task
  };
  std::vector<Application> applications;
  std::int32_t ranks = 0;  ///< tasks of all applications

  /// Rank of a task (both from 1), or -1.
  std::int32_t rank_of(std::int64_t application, std::int64_t task) const;
};

bool looks_like_header(std::string_view text);

/// Throws Error naming `name` (the file) and line 1. Memory is bounded by the line's length.
Header parse_header(std::string_view line, std::string_view name);

}  // namespace slackline::paraver
