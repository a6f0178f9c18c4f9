#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace slackline {

/// When messages were handed over within their calls, where a recording says it: OTF2 has a record
/// with a time of its own for every send. Beside the Trace, as only who compares the order of
/// sends of several ranks asks for it.
struct SendRecords {
  /// By rank and call: ns from the call's begin to its send record. Empty where nothing is known.
  std::vector<std::vector<std::uint32_t>> after_begin_ns;

  /// 0 where nothing is known.
  std::int64_t offset_ns(std::int32_t rank, std::size_t call) const {
    const auto r = static_cast<std::size_t>(rank);
    if (r >= after_begin_ns.size() || call >= after_begin_ns[r].size()) return 0;
    return after_begin_ns[r][call];
  }
};

}  // namespace slackline
