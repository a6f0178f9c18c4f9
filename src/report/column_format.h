#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace slackline {

/// A table's column as text: the heading with its unit, one cell a row.
struct TextColumn {
  std::string heading;
  std::vector<std::string> cells;
  bool right = false;  ///< numbers stand to the right
};

/// Times get one unit for the whole column ("time (ms)": 64.145, 0.310), so that their digits stand
/// below each other, unless the smallest would vanish in it; then each cell has its own.
TextColumn text_column(const Table& table, std::size_t column);

}  // namespace slackline
