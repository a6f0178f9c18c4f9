// All breakpoints of T in an interval from one pass whose values are functions of the parameter.
//
// Chord bisection (timing/envelope.cc) pays two passes for each breakpoint, and programs with
// jitter have thousands. Here a node's value is a piecewise linear function on the interval, and
// maxima and sums of such functions are all that a pass needs. By itself that costs more and more
// towards the end of the run, because the value of a late node has all the breakpoints that the run
// had until then. But those are common to all ranks: whatever happened before everybody waited for
// everybody. So what a slot holds is only the difference from a function C, that of a reference
// node. After each block of nodes one of the latest becomes the new reference: its difference
// is added to C, and subtracted from all slots that are still needed. Differences keep a few
// breakpoints, as many as the ranks differ in. They are not convex, which nothing here needs.
//
// C itself is never evaluated: what it gains with each block is put on a heap, which is sorted once
// at the end. There breakpoints at one place are added up, and most vanish: what one rank gained
// over another and lost again. What remains is T, and convex.
//
// A slot's function is its first line, which an edge's cost is added to, and a list of breakpoints,
// which costs do not change: so slots share lists, and when one of the values that a node is the
// maximum of is the largest over the whole interval no list is written at all.

#include "timing/piecewise/interval_pass.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "base/error.h"
#include "timing/piecewise/breakpoint_lists.h"

namespace slackline::piecewise {
namespace {

constexpr std::size_t kLeastBlock = 512;
constexpr std::size_t kBlockPerSlot = 2;

class Pass {
 public:
  Pass(const passes::Program& program, std::uint32_t slots, const Interval& interval)
      : program_(program), interval_(interval), slots_(slots) {}

  /// Nodes from `begin` to `end`.
  void run(std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) {
      const passes::Node& node = program_.nodes[n];
      evaluate({program_.edges + edge_, node.edges});
      edge_ += node.edges;
      Slot& target = slots_[node.target];
      if (!target.is_zero) lists_.release(target.list);
      target = {value_.line, value_.list, false};
      value_ = {};
    }
  }

  /// The slot's function becomes the reference for all slots that are needed from here on.
  void rebase(std::uint32_t reference, const std::vector<std::uint32_t>& live) {
    const Slot base = slots_[reference];
    const Breakpoints change = lists_[base.list];
    common_ += base.line;
    common_breakpoints_.insert(common_breakpoints_.end(), change.begin(), change.end());
    release_others(live);
    rebased_.assign(lists_.size(), kNotYet);
    rebased_[base.list] = 0;
    for (const std::uint32_t s : live) {
      if (slots_[s].is_zero) continue;
      slots_[s].line -= base.line;
      slots_[s].list = rebased(slots_[s].list, change);
    }
    if (zero_list_ != kNotYet) lists_.release(zero_list_);
    zero_list_ = kNotYet;
  }

  /// All lines, after the last node.
  std::vector<PathLine> lines(std::uint32_t last) {
    rebase(last, {});
    sort_and_combine(common_breakpoints_);
    std::vector<PathLine> result{{common_.intercept, common_.slope}};
    for (const Breakpoint& b : common_breakpoints_) {
      common_ += b;
      result.push_back({common_.intercept, common_.slope});
    }
    return result;
  }

 private:
  static constexpr BreakpointLists::Id kNotYet = 0xffffffffu;

  struct Slot {
    Line line{};
    BreakpointLists::Id list = 0;
    bool is_zero = true;  ///< zero itself, not zero above C
  };
  struct Value {
    Line line{};
    BreakpointLists::Id list = 0;  ///< held
  };

  Value value_of(const passes::Edge& e) {
    const Slot& source = slots_[e.source];
    Value value{source.line, source.list};
    if (source.is_zero) value = {Line{} - common_, zero_list()};
    value.line += {e.fixed, e.multiples};
    return value;
  }

  /// The maximum over the edges, into value_.
  void evaluate(std::span<const passes::Edge> edges) {
    if (edges.empty()) {
      value_ = {Line{} - common_, zero_list()};
      lists_.hold(value_.list);
      return;
    }
    value_ = value_of(edges.front());
    lists_.hold(value_.list);
    for (const passes::Edge& e : edges.subspan(1)) {
      const Value other = value_of(e);
      Line first{};
      const Larger larger = maximum({value_.line, lists_[value_.list]},
                                    {other.line, lists_[other.list]}, interval_, first, scratch_);
      if (larger == Larger::first) continue;
      lists_.release(value_.list);
      if (larger == Larger::second) {
        value_ = other;
        lists_.hold(value_.list);
      } else {
        value_ = {first, lists_.add(scratch_)};
      }
    }
  }

  /// Breakpoints of zero above C.
  BreakpointLists::Id zero_list() {
    if (zero_list_ == kNotYet) {
      sort_and_combine(common_breakpoints_);
      subtract({}, common_breakpoints_, scratch_);
      zero_list_ = lists_.add(scratch_);
    }
    return zero_list_;
  }

  /// Releases the lists of slots that are no longer needed.
  void release_others(const std::vector<std::uint32_t>& live) {
    needed_.assign(slots_.size(), false);
    for (const std::uint32_t s : live) needed_[s] = true;
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      if (needed_[s] || slots_[s].is_zero) continue;
      lists_.release(slots_[s].list);
      slots_[s] = {};
    }
  }

  /// A list of before less `change`, once for all its holders. The caller's hold goes over to the
  /// result.
  BreakpointLists::Id rebased(BreakpointLists::Id old, const Breakpoints& change) {
    if (rebased_[old] == kNotYet) {
      subtract(lists_[old], change, scratch_);
      rebased_[old] = lists_.add(scratch_);
    } else {
      lists_.hold(rebased_[old]);
    }
    lists_.release(old);
    return rebased_[old];
  }

  passes::Program program_;
  Interval interval_;
  std::vector<Slot> slots_;
  std::size_t edge_ = 0;
  Value value_{};  // of the node at hand
  BreakpointLists lists_{};
  BreakpointLists::Id zero_list_ = kNotYet;
  Line common_{};                     // C's first line
  Breakpoints common_breakpoints_{};  // of C, in any order
  Breakpoints scratch_{};
  std::vector<BreakpointLists::Id> rebased_{};
  std::vector<bool> needed_{};
};

}  // namespace

IntervalPasses::IntervalPasses(const passes::Program& program, std::uint32_t slots)
    : program_(program),
      slots_(slots),
      block_(std::max<std::size_t>(kLeastBlock, kBlockPerSlot * slots)),
      live_(program.node_count / block_) {
  std::size_t edges = 0;
  for (std::size_t n = 0; n < program.node_count; ++n) edges += program.nodes[n].edges;
  std::vector<bool> live(slots, false);
  for (std::size_t n = program.node_count; n-- > 0;) {
    if ((n + 1) % block_ == 0) {
      for (std::uint32_t s = 0; s < slots; ++s) {
        if (live[s]) live_[n / block_].push_back(s);
      }
    }
    const passes::Node& node = program.nodes[n];
    live[node.target] = false;
    for (std::uint32_t k = 0; k < node.edges; ++k) live[program.edges[--edges].source] = true;
  }
}

std::optional<std::vector<PathLine>> IntervalPasses::lines(
    const Interval& interval, const std::function<bool()>& stop) const {
  expects(program_.node_count > 0, "a program has a last node");
  Pass pass(program_, slots_, interval);
  for (std::size_t block = 0; block < live_.size(); ++block) {
    if (stop()) return std::nullopt;
    pass.run(block * block_, (block + 1) * block_);
    pass.rebase(program_.nodes[(block + 1) * block_ - 1].target, live_[block]);
  }
  pass.run(live_.size() * block_, program_.node_count);
  return pass.lines(program_.nodes[program_.node_count - 1].target);
}

}  // namespace slackline::piecewise
