// Passes trust their arrays: a slot number is a place in memory. Here is what they trust in, of
// arrays that anybody may have written. The costs themselves can be any; that they are the trace's
// is what the owner of the file vouches for.

#include "timing/reduction/reduction_cache.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace slackline {
namespace {

/// The most of each count on any path to a node; 64 bits of each, so that sums can be compared
/// with their limits after the addition.
struct Sums {
  std::int64_t nanoseconds = 0;
  std::int64_t bytes = 0;
  std::int64_t latencies = 0;
  std::int64_t overheads = 0;

  bool fit() const {
    constexpr std::int64_t kMostSteps = std::numeric_limits<std::uint32_t>::max();
    return nanoseconds < kMostCount && bytes < kMostCount && latencies <= kMostSteps &&
           overheads <= kMostSteps;
  }
};

Sums longer(const Sums& a, const Sums& b) {
  return {std::max(a.nanoseconds, b.nanoseconds), std::max(a.bytes, b.bytes),
          std::max(a.latencies, b.latencies), std::max(a.overheads, b.overheads)};
}

class ReductionCheck {
 public:
  explicit ReductionCheck(const ReducedLogGPS& reduced) : reduced_(reduced) {}

  bool sound() {
    if (reduced_.nodes.empty() || reduced_.slots == 0) return false;
    if (reduced_.slots - 1 > reduced_.nodes.size()) return false;
    slots_.resize(reduced_.slots);
    slots_.front().written = true;
    for (const passes::Node& node : reduced_.nodes) {
      if (!visit(node)) return false;
    }
    return next_edge_ == reduced_.edges.size() && next_wide_ == reduced_.wide.size() &&
           used_slots_ == reduced_.slots - 1 && longest_agrees();
  }

 private:
  struct Slot {
    Sums sums;
    bool written = false;
  };

  bool visit(const passes::Node& node) {
    if (node.target == 0 || node.target >= reduced_.slots) return false;
    if (node.edges == 0 || node.edges > reduced_.edges.size() - next_edge_) return false;
    Sums most;
    for (const passes::LogGPSEdge& edge : reduced_.edges.subspan(next_edge_, node.edges)) {
      if (!visit(edge, most)) return false;
    }
    next_edge_ += node.edges;
    Slot& target = slots_[node.target];
    used_slots_ += target.written ? 0 : 1;
    target = {most, true};
    return true;
  }

  bool visit(const passes::LogGPSEdge& edge, Sums& most) {
    if (edge.source >= reduced_.slots || !slots_[edge.source].written) return false;
    if (edge.latencies == passes::kWide) {
      if (next_wide_ == reduced_.wide.size() || edge.nanoseconds != next_wide_) return false;
      ++next_wide_;
    }
    const LogGPSForm form = unpack(edge, reduced_.wide.data());
    if (form.nanoseconds < 0 || form.nanoseconds >= kMostCount) return false;
    if (form.bytes < 0 || form.bytes >= kMostCount) return false;
    Sums sums = slots_[edge.source].sums;
    sums.nanoseconds += form.nanoseconds;
    sums.bytes += form.bytes;
    sums.latencies += form.latencies;
    sums.overheads += form.overheads;
    most = longer(most, sums);
    return sums.fit();
  }

  bool longest_agrees() const {
    const Sums& end = slots_[reduced_.nodes.back().target].sums;
    const LogGPSForm& longest = reduced_.longest;
    return end.nanoseconds == longest.nanoseconds && end.bytes == longest.bytes &&
           end.latencies == longest.latencies && end.overheads == longest.overheads;
  }

  const ReducedLogGPS& reduced_;
  std::vector<Slot> slots_;
  std::size_t next_edge_ = 0;
  std::size_t next_wide_ = 0;
  std::size_t used_slots_ = 0;
};

}  // namespace

bool is_sound(const ReducedLogGPS& reduced) {
  return ReductionCheck(reduced).sound();
}

}  // namespace slackline
