#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace slackline {

/// A column of the table of calls (doc/formats/arrow.md).
struct CallColumn {
  std::string name;
  std::size_t bytes = 0;  ///< of a value
  bool is_signed = false;
  bool is_text = false;  ///< values are indices into `texts`
  std::vector<std::string> texts{};
  /// Writes the values of calls first ... first + count - 1 of a rank one after the other.
  std::function<void(std::int32_t rank, std::size_t first, std::size_t count, char* to)> fill{};
};

/// All columns; they refer to the trace. O(calls of one byte each + call paths).
std::vector<CallColumn> call_columns(const Trace& trace);

}  // namespace slackline
