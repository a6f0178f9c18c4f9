#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "timing/cost/loggps.h"

namespace slackline {

/// L or G of the messages between any two nodes; the two directions may differ. Source: LLAMP
/// appendix I.
struct PairMatrix {
  std::int32_t nodes = 0;
  std::vector<std::int64_t> values_fs;  ///< row by row, a row for each sender; fs or fs per byte

  std::int64_t at(std::int32_t from, std::int32_t to) const {
    return values_fs[static_cast<std::size_t>(from) * static_cast<std::size_t>(nodes) +
                     static_cast<std::size_t>(to)];
  }
};

/// Reads CSV: a row for each sending node, in it a value with its unit for each receiving one
/// ("1.3us"; of G "0.05ns/B" or "100Gb/s"). The diagonal is not read. Blank lines and # comments
/// are skipped. `name` is the file's, for messages. Throws Error with the line and column.
PairMatrix parse_pair_matrix(std::string_view text, const std::string& name, Parameter parameter);

}  // namespace slackline
