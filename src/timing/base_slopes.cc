#include "timing/base_slopes.h"

#include <algorithm>

#include "base/arithmetic.h"
#include "base/units.h"
#include "timing/cost/linear_cost.h"
#include "timing/makespan.h"

namespace slackline {
namespace {

constexpr std::array kAllParameters{Parameter::latency, Parameter::overhead,
                                    Parameter::gap_per_byte};

}  // namespace

// At 0, where T begins, there is the right derivative only.
BaseSlopes::BaseSlopes(const LogGPS& model, Side side) : model_(model) {
  for (const Parameter p : kAllParameters) {
    steepest_[static_cast<std::size_t>(p)] = side == Side::right || value_fs(model, p) == 0;
  }
}

BaseSlopes::Reached BaseSlopes::after(const Reached& reached, const Edge& e) const {
  Reached next = reached;
  next.fs += Int128{e.nanoseconds} * kFemtosPerNano;
  for (const Parameter p : kAllParameters) {
    const std::int64_t paid = multiples(e, p);
    std::int64_t& slope = next.slopes[static_cast<std::size_t>(p)];
    next.fs += Int128{paid} * value_fs(model_, p);
    slope = saturated_sum(slope, paid);
  }
  return next;
}

void BaseSlopes::take(Reached& best, const Reached& other) const {
  if (other.fs < best.fs) return;
  if (other.fs > best.fs) {
    best = other;
    return;
  }
  for (std::size_t p = 0; p < kParameters; ++p) {
    best.slopes[p] = steepest_[p] ? std::max(best.slopes[p], other.slopes[p])
                                  : std::min(best.slopes[p], other.slopes[p]);
  }
}

void BaseSlopes::add(const ExecutionGraph& graph) {
  const auto vertices = static_cast<VertexId>(graph.vertex_count());
  std::vector<Reached> reached(vertices);
  VertexId begun = 0;
  for (const Reached& program : programs_) reached[begun++] = program;
  for (std::size_t r = 0; r < links_.size(); ++r) {
    if (graph.link_start(static_cast<std::int32_t>(r)) != kNoVertex) reached[begun++] = links_[r];
  }
  for (VertexId v = begun; v < vertices; ++v) {
    bool first = true;
    graph.for_in_edges(v, [&](const Edge& e) {
      const Reached by = after(reached[e.from], e);
      if (first) reached[v] = by;
      if (!first) take(reached[v], by);
      first = false;
    });
  }
  programs_.clear();
  links_.clear();
  for (std::int32_t r = 0; r < graph.ranks(); ++r) {
    const Edge tail = graph.tail(r);
    programs_.push_back(after(reached[tail.from], tail));
    const Edge link = graph.link_end(r);
    links_.push_back(link.from == kNoVertex ? Reached{} : after(reached[link.from], link));
  }
}

BaseSlopes::Reached BaseSlopes::last() const {
  Reached last;
  bool first = true;
  for (const Reached& program : programs_) {
    if (first) last = program;
    if (!first) take(last, program);
    first = false;
  }
  return last;
}

double BaseSlopes::makespan_ns() const {
  // As a function of L has it, to the last bit.
  const LogGPSCost cost(model_, Parameter::latency);
  const Ticks base = make_ticks(cost.base_fs(), cost.tick_fs());
  return ns_of_ticks(last().fs * base.denominator / cost.tick_fs(), base.denominator,
                     cost.tick_fs());
}

std::int64_t BaseSlopes::slope(Parameter parameter) const {
  return last().slopes[static_cast<std::size_t>(parameter)];
}

}  // namespace slackline
