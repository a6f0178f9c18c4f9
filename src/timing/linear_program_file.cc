#include "timing/linear_program_file.h"

#include <fmt/format.h>

#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/int128.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;

/// When a vertex comes: the variable of another one, which has it as its own, plus the cost
/// between.
struct Affine {
  VertexId variable = kNoVertex;  ///< none: 0
  Int128 ticks = 0;
  std::int64_t multiples = 0;
};

class LinearProgramFile {
 public:
  LinearProgramFile(const ExecutionGraph& graph, const LinearCost& cost,
                    const std::function<void(std::string_view)>& write)
      : graph_(graph), cost_(cost), tick_fs_(cost.tick_fs()), write_(write) {}

  void put() {
    text_ +=
        "\\ Times in ns. T: run time; L: the parameter that varies, of which T is a function.\n"
        "Minimize\n obj: T\nSubject To\n";
    const std::vector<std::int32_t> ranks = vertex_ranks(graph_);
    std::vector<Affine> values(graph_.vertex_count());
    for (VertexId v = 0; v < values.size(); ++v) values[v] = value(v, ranks, values);
    for (std::int32_t r = 0; r < graph_.ranks(); ++r) {
      const VertexId last = graph_.last_vertex(r);
      Affine end = last == kNoVertex ? Affine{} : values[last];
      end.ticks += Int128{graph_.tail_ns(r)} * kFemtosPerNano / tick_fs_;
      at_least("T", end);
    }
    text_ += fmt::format("Bounds\n L >= {}\nEnd\n", ns(cost_.base_fs()));
    write_(text_);
  }

 private:
  Affine after(const Edge& e, std::int32_t to_rank, const std::vector<std::int32_t>& ranks,
               const std::vector<Affine>& values) const {
    Affine result = values[e.from];
    const LinearTerm term = cost_.term(e, ranks[e.from], to_rank);
    result.ticks += term.fixed_ticks;
    result.multiples += term.multiples;
    return result;
  }

  Affine value(VertexId v, const std::vector<std::int32_t>& ranks,
               const std::vector<Affine>& values) {
    const std::size_t edges = graph_.in_degree(v);
    if (edges == 0) return {};
    if (edges == 1) return after(graph_.in_edge(v, 0), ranks[v], ranks, values);
    const std::string name = fmt::format("t{}", v);
    graph_.for_in_edges(v,
                        [&](const Edge& e) { at_least(name, after(e, ranks[v], ranks, values)); });
    return {v, 0, 0};
  }

  void at_least(std::string_view name, const Affine& a) {
    auto out = std::back_inserter(text_);
    fmt::format_to(out, " r{}: {}", row_++, name);
    if (a.variable != kNoVertex) fmt::format_to(out, " - t{}", a.variable);
    if (a.multiples != 0) fmt::format_to(out, " - {} L", a.multiples);
    fmt::format_to(out, " >= {}\n", ns(a.ticks * tick_fs_));
    if (text_.size() < kPiece) return;
    write_(text_);
    text_.clear();
  }

  static std::string ns(Int128 fs) {
    if (fs > std::numeric_limits<std::int64_t>::max()) {
      throw Error("cannot write the linear program", "its times are longer than 2 hours",
                  "Predict a part of the run.");
    }
    const auto whole = static_cast<std::int64_t>(fs / kFemtosPerNano);
    return fmt::format("{}.{:06}", whole, static_cast<std::int64_t>(fs % kFemtosPerNano));
  }

  const ExecutionGraph& graph_;
  const LinearCost& cost_;
  std::int64_t tick_fs_;
  const std::function<void(std::string_view)>& write_;
  std::string text_;
  std::uint64_t row_ = 1;
};

}  // namespace

void write_linear_program(const ExecutionGraph& graph, const LinearCost& cost,
                          const std::function<void(std::string_view)>& write) {
  LinearProgramFile(graph, cost, write).put();
}

}  // namespace slackline
