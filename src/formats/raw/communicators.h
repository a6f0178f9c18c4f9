#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "formats/raw/raw_file.h"
#include "trace/trace_builder.h"

namespace slackline::raw {

/// What one rank's local communicator ids mean.
struct CommView {
  std::uint32_t global = kCommNull;
  bool inter = false;    ///< has a second group, of this world or another one
  bool swapped = false;  ///< this rank's group is the trace's `remote`
  /// World ranks of those whom peers and per-rank arguments speak of, -1 for processes of another
  /// world; empty when they all are of this one, and so are the trace's members.
  std::vector<std::int32_t> peers{};
};
using CommViews = std::unordered_map<std::uint32_t, CommView>;

/// Is it the members of a communicator, or a call that makes one?
bool tells_of_communicator(std::uint8_t op);

/// Gives communicators one id for all ranks, without the ranks having talked about it: two ranks
/// speak of the same communicator if its members are the same in the same order, it was made from
/// the same communicator with the same tag, and both have seen equally many of that kind before.
/// All members of one communicator make others from it with one tag in the same order, so the count
/// agrees. The trace's
/// communicators have only members of this world.
class Communicators {
 public:
  explicit Communicators(TraceBuilder& trace) : trace_(trace) {}

  /// The views of one rank, from its records for which tells_of_communicator() holds, in order of
  /// time.
  CommViews views(std::span<const Record> records, Findings& findings);

 private:
  using Key = std::vector<std::int64_t>;

  /// What tells communicators apart, but for how many are alike.
  struct Kind {
    Key local;
    Key remote;
    std::uint32_t parent;  ///< in the trace; kCommNull: it says nothing of the order
    std::uint64_t tag;     ///< of SLK_REC_COMM
    auto operator<=>(const Kind&) const = default;
  };

  std::uint32_t global_id(const Kind& kind, std::size_t occurrence);

  TraceBuilder& trace_;
  std::map<std::pair<Kind, std::size_t>, std::uint32_t> ids_;
};

}  // namespace slackline::raw
