#include "analysis/model/sensitivity.h"

#include <algorithm>
#include <utility>

#include "base/units.h"

namespace slackline {
namespace {

constexpr double kInvisible = 2.5e-4;  // of a plot's height

void add_piece(Sensitivity& s, MakespanFunction& makespan, const EnvelopePiece& piece) {
  s.pieces.push_back({.from_ns = makespan.to_ns(piece.from),
                      .to_ns = makespan.to_ns(piece.to),
                      .lambda = piece.line.slope,
                      .makespan_at_from_ns = makespan.value_ns(piece.line, piece.from)});
  s.makespan_at_end_ns = makespan.value_ns(piece.line, piece.to);
}

}  // namespace

Sensitivity sensitivity(const ExecutionGraph& graph, const ModelChoice& choice,
                        const VariedParameter& parameter, std::int64_t from_fs, std::int64_t to_fs,
                        std::optional<EnvelopeEffort> effort) {
  MakespanFunction makespan = makespan_function(graph, choice, parameter);
  return sensitivity(makespan, full_parameter(choice, parameter), from_fs, to_fs,
                     std::move(effort));
}

Sensitivity sensitivity(MakespanFunction& makespan, const VariedParameter& parameter,
                        std::int64_t from_fs, std::int64_t to_fs,
                        std::optional<EnvelopeEffort> effort) {
  const std::uint64_t passes_before = makespan.passes();
  Sensitivity s;
  s.parameter = parameter;
  s.base_ns = makespan.to_ns(makespan.base());
  const Ticks from = makespan.from_fs(from_fs);
  const Ticks to = makespan.from_fs(to_fs);
  const Envelope envelope =
      effort ? compute_envelope(makespan, from, to, *effort) : compute_envelope(makespan, from, to);
  for (const EnvelopePiece& piece : envelope.pieces) add_piece(s, makespan, piece);
  s.exact = envelope.gap_ticks == 0;
  s.stopped = envelope.stopped;
  s.gap_ns = envelope.gap_ticks * static_cast<double>(makespan.tick_fs()) /
             static_cast<double>(kFemtosPerNano);
  s.passes = makespan.passes() - passes_before;
  return s;
}

EnvelopeEffort plot_effort(const ExecutionGraph& graph, std::size_t edges,
                           std::size_t most_passes) {
  return {
      std::min(most_passes, edges / std::max<std::size_t>(1, graph.edge_count())), kInvisible, {}};
}

Tolerances tolerances(const ExecutionGraph& graph, const ModelChoice& choice,
                      const VariedParameter& parameter,
                      const std::vector<std::int64_t>& degradations_ppm) {
  MakespanFunction makespan = makespan_function(graph, choice, parameter);
  return tolerances(makespan, full_parameter(choice, parameter), degradations_ppm);
}

Tolerances tolerances(MakespanFunction& makespan, const VariedParameter& parameter,
                      const std::vector<std::int64_t>& degradations_ppm) {
  const std::uint64_t passes_before = makespan.passes();
  Tolerances result;
  result.parameter = parameter;
  result.base_ns = makespan.to_ns(makespan.base());
  const std::vector<Tolerance> found = find_tolerances(makespan, degradations_ppm);
  result.makespan_ns = makespan.value_ns(makespan.line_at(makespan.base()), makespan.base());
  for (const Tolerance& t : found) {
    Tolerances::Row row{t.degradation_ppm, t.bound_ns, std::nullopt};
    if (t.value) row.value_ns = makespan.to_ns(*t.value);
    result.rows.push_back(row);
  }
  result.passes = makespan.passes() - passes_before;
  return result;
}

}  // namespace slackline
