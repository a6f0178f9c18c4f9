#include "timing/linear_program.h"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "base/units.h"
#include "graph/execution_graph.h"

namespace slackline {
namespace {

/// A time: that of a vertex with a variable, or the begin of the run, and what follows it.
struct TimeExpression {
  VertexId variable = kNoVertex;
  std::int64_t multiples = 0;
  Int128 fixed_ticks = 0;

  TimeExpression after(const LinearTerm& term) const {
    return {variable, multiples + term.multiples, fixed_ticks + term.fixed_ticks};
  }
};

/// Names of variables may not hold brackets or colons that solvers read as operators.
std::string variable_name(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    text += plain ? c : '_';
  }
  return text;
}

class ProgramText {
 public:
  ProgramText(const ExecutionGraph& graph, const LinearCost& cost, std::string_view name)
      : graph_(graph), cost_(cost), name_(name), variable_(variable_name(name)) {}

  std::string take() {
    fmt::format_to(out(),
                   "\\ Run time T in ns as a function of {0} (variable {1}; ns, or ns per byte)\n"
                   "Minimize\n obj: T + 0 {1}\nSubject To\n",
                   name_, variable_);
    const std::vector<std::int32_t> ranks = vertex_ranks(graph_);
    std::vector<TimeExpression> times(graph_.vertex_count());
    for (VertexId v = 0; v < graph_.vertex_count(); ++v) {
      const bool decides = graph_.in_degree(v) > 1;
      graph_.for_in_edges(v, [&](const Edge& e) {
        const TimeExpression reached = times[e.from].after(cost_.term(e, ranks[e.from], ranks[v]));
        if (decides) {
          constrain(fmt::format("t{}", v), reached);
        } else {
          times[v] = reached;
        }
      });
      if (decides) times[v] = {.variable = v};
    }
    for (std::int32_t r = 0; r < graph_.ranks(); ++r) {
      const Edge tail = graph_.tail(r);
      constrain("T", times[tail.from].after(cost_.term(tail, r, r)));
    }
    // Variables that nothing bounds are not negative, as times are.
    fmt::format_to(out(), "Bounds\n {} >= {}\nEnd\n", variable_, nanoseconds(cost_.base_fs()));
    return std::move(text_);
  }

 private:
  std::back_insert_iterator<std::string> out() { return std::back_inserter(text_); }

  /// `later` is not before `reached`.
  void constrain(std::string_view later, const TimeExpression& reached) {
    fmt::format_to(out(), " c{}: {}", ++constraints_, later);
    if (reached.variable != kNoVertex) fmt::format_to(out(), " - t{}", reached.variable);
    if (reached.multiples != 0) fmt::format_to(out(), " - {} {}", reached.multiples, variable_);
    fmt::format_to(out(), " >= {}\n", nanoseconds(reached.fixed_ticks * cost_.tick_fs()));
  }

  static std::string nanoseconds(Int128 fs) {
    const auto whole = static_cast<std::int64_t>(fs / kFemtosPerNano);
    const auto rest = static_cast<std::int64_t>(fs % kFemtosPerNano);
    if (rest == 0) return fmt::format("{}", whole);
    std::string text = fmt::format("{}.{:06}", whole, rest);
    text.erase(text.find_last_not_of('0') + 1);
    return text;
  }

  const ExecutionGraph& graph_;
  const LinearCost& cost_;
  std::string_view name_;
  std::string variable_;
  std::string text_;
  std::size_t constraints_ = 0;
};

}  // namespace

std::string linear_program(const ExecutionGraph& graph, const LinearCost& cost,
                           std::string_view name) {
  return ProgramText(graph, cost, name).take();
}

}  // namespace slackline
