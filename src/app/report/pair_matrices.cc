#include "app/report/pair_matrices.h"

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "page/pair_sums.h"
#include "timing/longest_path.h"
#include "timing/network/pair_cost.h"

namespace slackline {
namespace {

constexpr std::size_t kPairsShown = 20;
constexpr std::size_t kPairsForScripts = 10'000;

PairSums bytes_of(const Trace& trace, const CallMatching& matching) {
  PairSums sums(trace.ranks());
  for (const MessageCalls& m : matching.messages()) sums.add(m.source, m.destination, m.bytes);
  return sums;
}

PairSums messages_of(const Trace& trace, const CallMatching& matching) {
  PairSums sums(trace.ranks());
  for (const MessageCalls& m : matching.messages()) sums.add(m.source, m.destination, 1);
  return sums;
}

PairSums waiting_of(const Trace& trace, const WaitStates& waits) {
  PairSums sums(trace.ranks());
  for (const WaitState& w : waits.states) {
    if (w.effective && w.cause_rank >= 0 && w.wait_ns > 0) {
      sums.add(w.rank, w.cause_rank, static_cast<std::uint64_t>(w.wait_ns));
    }
  }
  return sums;
}

PairSums latencies_of(const ExecutionGraph& graph, const Schedule& schedule) {
  PairSums sums(graph.ranks());
  walk_path(graph, schedule, [&](const Edge& e, VertexId to) {
    if (e.latencies == 0) return;
    const RankPair pair = graph.pair_of(e, graph.rank(e.from), graph.rank(to));
    sums.add(pair.from, pair.to, e.latencies);
  });
  return sums;
}

using MatrixCell = std::array<std::uint64_t, 3>;

auto matrix_object(const Matrix& matrix, const std::vector<MatrixCell>& cells) {
  return Object{"id"_key = matrix.id,
                "title"_key = matrix.title,
                "rows"_key = matrix.rows,
                "columns"_key = matrix.columns,
                "ranks_in_a_row"_key = matrix.block,
                "total"_key = matrix.total,
                "maximum"_key = matrix.maximum,
                "largest_cells"_key = cells};
}
using MatrixObjects = std::vector<ReturnedBy<matrix_object>>;

auto matrices_object(const MatrixObjects& matrices) {
  return Object{"matrices"_key = matrices};
}

void add_matrix(Section& section, MatrixObjects& matrices, const PairSums& sums, Matrix names) {
  if (sums.empty()) return;
  Matrix matrix = sums.matrix(std::move(names));
  Table table{.id = matrix.id + "-largest",
              .title = matrix.title + ": largest entries",
              .columns = {{matrix.rows}, {matrix.columns}, {matrix.title, matrix.unit}},
              .rows = {}};
  std::vector<MatrixCell> cells;
  for (const PairSums::Cell& cell : sums.largest(kPairsForScripts)) {
    if (table.rows.size() < kPairsShown) {
      table.rows.push_back({cell.row, cell.column, cell.value});
    }
    cells.push_back({static_cast<std::uint64_t>(cell.row), static_cast<std::uint64_t>(cell.column),
                     static_cast<std::uint64_t>(cell.value)});
  }
  matrices.push_back(matrix_object(matrix, cells));
  section.items.emplace_back(std::make_shared<const Matrix>(std::move(matrix)));
  section.items.emplace_back(std::move(table));
}

}  // namespace

const JsonType& declared_type(const MatricesJsonTag*) {
  return json_type_by<matrices_object>();
}

Described<MatricesJson> pair_matrices(const Trace& trace, const CallMatching& matching,
                                      const WaitStates* waits, const ExecutionGraph& graph,
                                      const Schedule& schedule) {
  MatrixObjects matrices;
  Section section{.id = "matrices", .title = "Communication matrix"};
  const auto named = [](std::string id, std::string title, std::string rows, std::string columns,
                        Unit unit, std::string explanation) {
    Matrix m;
    m.id = std::move(id);
    m.title = std::move(title);
    m.rows = std::move(rows);
    m.columns = std::move(columns);
    m.unit = unit;
    m.explanation = std::move(explanation);
    return m;
  };
  add_matrix(section, matrices, bytes_of(trace, matching),
             named("matrix-bytes", "Bytes sent", "sender", "receiver", Unit::bytes,
                   "in point-to-point messages; collectives not included"));
  add_matrix(section, matrices, messages_of(trace, matching),
             named("matrix-messages", "Messages sent", "sender", "receiver", Unit::count,
                   "point-to-point; collectives not included"));
  if (waits != nullptr) {
    add_matrix(section, matrices, waiting_of(trace, *waits),
               named("matrix-waiting", "Wait time", "waiting rank", "delaying rank", Unit::ns,
                     "time that one rank waits for another"));
  }
  add_matrix(section, matrices, latencies_of(graph, schedule),
             named("matrix-latency", "Messages on critical path", "sender", "receiver", Unit::count,
                   "messages between the two ranks on the predicted critical path"));
  return {matrices_object(matrices), {std::move(section)}};
}

}  // namespace slackline
