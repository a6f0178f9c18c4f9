#include "analysis/sensitivity.h"

namespace slackline {
namespace {

constexpr int kSamples = 128;

void add_piece(Sensitivity& s, MakespanFunction& makespan, const EnvelopePiece& piece) {
  s.pieces.push_back({.from_ns = makespan.to_ns(piece.from),
                      .to_ns = makespan.to_ns(piece.to),
                      .lambda = piece.line.slope,
                      .makespan_at_from_ns = makespan.value_ns(piece.line, piece.from)});
  s.makespan_at_end_ns = makespan.value_ns(piece.line, piece.to);
}

/// T at evenly spaced values, each with its right derivative.
void sample(Sensitivity& s, MakespanFunction& makespan, std::int64_t from_fs, std::int64_t to_fs) {
  s.exact = false;
  for (int i = 0; i < kSamples; ++i) {
    const auto at = [&](int k) {
      return make_ticks(Int128{from_fs} * (kSamples - k) + Int128{to_fs} * k,
                        Int128{makespan.tick_fs()} * kSamples);
    };
    add_piece(s, makespan, {at(i), at(i + 1), makespan.line_at(at(i))});
  }
  const Ticks end = makespan.from_fs(to_fs);
  s.makespan_at_end_ns = makespan.value_ns(makespan.line_at(end), end);
}

}  // namespace

Sensitivity sensitivity(const ExecutionGraph& graph, const ModelChoice& choice,
                        const VariedParameter& parameter, std::int64_t from_fs, std::int64_t to_fs,
                        std::optional<std::size_t> max_passes) {
  return sensitivity(makespan_function(graph, choice, parameter), full_parameter(choice, parameter),
                     from_fs, to_fs, max_passes);
}

Sensitivity sensitivity(MakespanFunction makespan, const VariedParameter& parameter,
                        std::int64_t from_fs, std::int64_t to_fs,
                        std::optional<std::size_t> max_passes) {
  Sensitivity s;
  s.parameter = parameter;
  s.base_ns = makespan.to_ns(makespan.base());
  const Ticks from = makespan.from_fs(from_fs);
  const Ticks to = makespan.from_fs(to_fs);
  const auto envelope = max_passes ? compute_envelope_within(makespan, from, to, *max_passes)
                                   : std::optional(compute_envelope(makespan, from, to));
  if (envelope) {
    for (const EnvelopePiece& piece : envelope->pieces) add_piece(s, makespan, piece);
  } else {
    sample(s, makespan, from_fs, to_fs);
  }
  s.passes = makespan.passes();
  return s;
}

Tolerances tolerances(const ExecutionGraph& graph, const ModelChoice& choice,
                      const VariedParameter& parameter,
                      const std::vector<std::int64_t>& degradations_ppm) {
  return tolerances(makespan_function(graph, choice, parameter), full_parameter(choice, parameter),
                    degradations_ppm);
}

Tolerances tolerances(MakespanFunction makespan, const VariedParameter& parameter,
                      const std::vector<std::int64_t>& degradations_ppm) {
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
  result.passes = makespan.passes();
  return result;
}

}  // namespace slackline
