// Envelopes and tolerances against brute force and pointwise evaluation.

#include "timing/envelope.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "oracle/all_paths.h"
#include "oracle/graph_times.h"
#include "oracle/reference_model.h"
#include "property/cases.h"
#include "timing/tolerance.h"

namespace slackline {
namespace {

using oracle::Wide;

constexpr std::array kParameters{Parameter::latency, Parameter::overhead, Parameter::gap_per_byte};
constexpr std::int64_t kTo_fs = 200'000'000'000;  // 200 us; of G: 200 us a byte

oracle::ProgramShape small_shape() {
  return {.max_ranks = 4, .max_events = 12};
}

/// Pieces against the envelope of all paths: as many, the same lines, from the same places.
void compare_with_all_paths(const ExecutionGraph& graph, const oracle::TimeSystem& system,
                            const LogGPS& model, Parameter parameter) {
  const auto paths = oracle::all_paths(system, model, parameter, 20'000);
  if (!paths) return;
  MakespanFunction t(graph, model, parameter);
  const Envelope envelope = compute_envelope(t, {0, 1}, t.from_fs(kTo_fs));
  const auto expected = oracle::upper_envelope(*paths, kTo_fs);
  RC_ASSERT(envelope.pieces.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const EnvelopePiece& piece = envelope.pieces[i];
    RC_ASSERT(piece.line.intercept * t.tick_fs() == expected[i].line.intercept);
    RC_ASSERT(Wide{piece.line.slope} == expected[i].line.slope);
    RC_ASSERT(piece.from ==
              make_ticks(expected[i].begin_numerator, expected[i].begin_denominator * t.tick_fs()));
  }
}

RC_GTEST_PROP(Envelope, IsThatOfAllPaths, ()) {
  const testing::Case c = testing::arbitrary_case(small_shape());
  RC_LOG() << testing::describe(c.trace, c.options);
  const ExecutionGraph graph = build_graph(c.trace, c.options);
  const Parameter parameter = *rc::gen::element(kParameters[0], kParameters[1], kParameters[2]);
  compare_with_all_paths(graph, oracle::graph_times(graph), c.model, parameter);
}

RC_GTEST_PROP(Envelope, IsThatOfAllPathsOfTheReferenceModel, ()) {
  const testing::Case c = testing::without_links(testing::arbitrary_case(small_shape()));
  RC_LOG() << testing::describe(c.trace, c.options);
  const ExecutionGraph graph = build_graph(c.trace, c.options);
  const Parameter parameter = *rc::gen::element(kParameters[0], kParameters[1], kParameters[2]);
  compare_with_all_paths(graph, oracle::reference_times(c.trace, c.options), c.model, parameter);
}

const EnvelopePiece& piece_at(const Envelope& envelope, const Ticks& x) {
  std::size_t i = 0;
  while (envelope.pieces[i].to < x) ++i;
  return envelope.pieces[i];
}

RC_GTEST_PROP(Envelope, IsConvexContinuousAndTheMakespanEverywhere, ()) {
  const testing::Case c = testing::arbitrary_case({});
  RC_LOG() << testing::describe(c.trace, c.options);
  const ExecutionGraph graph = build_graph(c.trace, c.options);
  for (const Parameter parameter : kParameters) {
    MakespanFunction t(graph, c.model, parameter);
    const Ticks to = t.from_fs(kTo_fs);
    const Envelope envelope = compute_envelope(t, {0, 1}, to);
    RC_ASSERT(envelope.pieces.front().from == (Ticks{0, 1}));
    RC_ASSERT(envelope.pieces.back().to == to);
    for (std::size_t i = 1; i < envelope.pieces.size(); ++i) {
      const EnvelopePiece& before = envelope.pieces[i - 1];
      const EnvelopePiece& after = envelope.pieces[i];
      RC_ASSERT(before.to == after.from);
      RC_ASSERT(before.from < before.to);
      RC_ASSERT(before.line.slope < after.line.slope);
      RC_ASSERT(before.line.scaled_at(after.from) == after.line.scaled_at(after.from));
      RC_ASSERT(t.line_at(after.from, Side::left) == before.line);
      RC_ASSERT(t.line_at(after.from, Side::right) == after.line);
    }
    for (int i = 0; i < 8; ++i) {
      const std::int64_t q = *rc::gen::inRange<std::int64_t>(1, 1000);
      const std::int64_t fs = *rc::gen::inRange<std::int64_t>(0, kTo_fs);
      const Ticks x = make_ticks(fs / q, t.tick_fs());
      RC_ASSERT(t.line_at(x).scaled_at(x) == piece_at(envelope, x).line.scaled_at(x));
    }
  }
}

RC_GTEST_PROP(Envelope, HasTheLinesThatOnePassFinds, ()) {
  const testing::Case c = testing::arbitrary_case({});
  RC_LOG() << testing::describe(c.trace, c.options);
  const ExecutionGraph graph = build_graph(c.trace, c.options);
  for (const Parameter parameter : kParameters) {
    MakespanFunction t(graph, c.model, parameter);
    const Ticks to = t.from_fs(kTo_fs);
    std::vector<PathLine> by_bisection;
    for (const EnvelopePiece& p : compute_envelope(t, {0, 1}, to, {kAllPieces - 1, 0, {}}).pieces) {
      by_bisection.push_back(p.line);
    }
    const auto by_one_pass = t.lines_between({0, 1}, to, [] { return false; });
    RC_CLASSIFY(by_one_pass.has_value(), "fits in 61 bits");
    if (by_one_pass) RC_ASSERT(*by_one_pass == by_bisection);
  }
}

TEST(Envelope, OfSeededProgramsIsTheReferenceModelsMakespan) {
  for (std::uint64_t seed = 0; seed < testing::kSeeds / 4; ++seed) {
    const testing::Case c = testing::without_links(testing::seeded_case(seed, {}));
    const ExecutionGraph graph = build_graph(c.trace, c.options);
    const oracle::TimeSystem system = oracle::reference_times(c.trace, c.options);
    MakespanFunction t(graph, c.model, Parameter::latency);
    const Envelope envelope = compute_envelope(t, {0, 1}, t.from_fs(kTo_fs));
    for (const std::int64_t fs : {std::int64_t{0}, std::int64_t{999'999}, kTo_fs / 7, kTo_fs}) {
      LogGPS at = c.model;
      at.latency_fs = fs;
      const Ticks x = t.from_fs(fs);
      EXPECT_TRUE(piece_at(envelope, x).line.scaled_at(x) * t.tick_fs() ==
                  oracle::makespan(system, at) * x.denominator)
          << "seed " << seed << " at " << fs << " fs";
    }
  }
}

/// T(x) against a bound of `numerator / denominator` ticks: -1, 0 or 1.
int compare(MakespanFunction& t, const Ticks& x, const Int128& numerator,
            const Int128& denominator) {
  const Ticks value = make_ticks(t.line_at(x).scaled_at(x), x.denominator);
  const Ticks bound = make_ticks(numerator, denominator);
  return value < bound ? -1 : (bound < value ? 1 : 0);
}

RC_GTEST_PROP(Tolerance, IsTheLargestValueWithinTheBound, ()) {
  const testing::Case c = testing::arbitrary_case({});
  RC_LOG() << testing::describe(c.trace, c.options);
  const ExecutionGraph graph = build_graph(c.trace, c.options);
  const std::int64_t ppm = *rc::gen::element<std::int64_t>(0, 1, 10'000, 50'000, 1'000'000);
  for (const Parameter parameter : kParameters) {
    MakespanFunction t(graph, c.model, parameter);
    const Ticks base = t.base();
    const Int128 bound = t.line_at(base).scaled_at(base) * (1'000'000 + ppm);
    const Int128 denominator = base.denominator * 1'000'000;
    const Tolerance tolerance = find_tolerance(t, ppm);
    if (!tolerance.value) {
      RC_ASSERT(t.asymptote().slope == 0);
      continue;
    }
    const Ticks x = *tolerance.value;
    RC_ASSERT(!(x < base));
    RC_ASSERT(compare(t, x, bound, denominator) == 0);
    const Ticks beyond =
        make_ticks(x.numerator * 1'000'000 + x.denominator, x.denominator * 1'000'000);
    RC_ASSERT(compare(t, beyond, bound, denominator) > 0);
  }
}

}  // namespace
}  // namespace slackline
