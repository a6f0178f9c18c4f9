#pragma once

#include <rapidcheck.h>

#include <string>

#include "graph/build.h"
#include "oracle/random_program.h"
#include "timing/cost/loggps.h"

namespace slackline::testing {

/// How many seeded programs a plain test tries. They are longer than those of the property library.
inline constexpr std::uint64_t kSeeds = 1200;

/// A sound program with options and parameters to predict it by.
struct Case {
  oracle::Program program;
  Trace trace;
  GraphOptions options;
  LogGPS model;
};

inline GraphOptions random_options(oracle::Choices& choices) {
  GraphOptions options;
  options.eager_threshold_bytes =
      choices.element(std::array<std::uint64_t, 4>{262'144, 0, 100, 4096});
  options.rendezvous = choices.element(std::array{Rendezvous::handshake, Rendezvous::rdma_read,
                                                  Rendezvous::sync, Rendezvous::loggopsim});
  if (choices.one_in(2)) options.collectives.add("mpich");
  const auto all = collective_algorithms();
  for (std::uint32_t i = choices.below(8); i > 0 && !all.empty(); --i) {
    const CollectiveAlgorithm& a = all[choices.below(static_cast<std::uint32_t>(all.size()))];
    options.collectives.add(std::string(identifier(a.operation)) + "=" + std::string(a.name));
  }
  options.serial_links = choices.one_in(2);
  return options;
}

/// For comparisons with what has no links: GOAL files, simulations, the reference model.
inline Case without_links(Case c) {
  c.options.serial_links = false;
  return c;
}

/// Whole nanoseconds, picoseconds or neither.
inline LogGPS random_model(oracle::Choices& choices) {
  constexpr std::array<std::int64_t, 7> kLatencies{
      0, 1'000'000, 3'000'000'000, 123'000'000, 1'234'567'000, 77'777'777, 50'000'000'000};
  constexpr std::array<std::int64_t, 5> kOverheads{0, 1'000'000, 500'000'000, 333'000, 7'777'777};
  constexpr std::array<std::int64_t, 5> kGaps{0, 18'000, 1'000'000, 1'000, 333};
  return {choices.element(kLatencies), choices.element(kOverheads), choices.element(kGaps)};
}

inline Case make_case(oracle::Choices settings, oracle::Choices decisions,
                      const oracle::ProgramShape& shape) {
  oracle::Program program = random_program(std::move(decisions), shape);
  Trace trace = to_trace(program);
  GraphOptions options = random_options(settings);
  const LogGPS model = random_model(settings);
  return {std::move(program), std::move(trace), std::move(options), model};
}

/// To be called inside rc::check. Shrinks to short programs with simple settings.
Case arbitrary_case(const oracle::ProgramShape& shape);

inline Case seeded_case(std::uint64_t seed, const oracle::ProgramShape& shape) {
  return make_case(oracle::Choices(seed + 1'000'000, 40), oracle::Choices(seed, 100 + seed % 900),
                   shape);
}

/// The trace in its text form and the options, to be copied into a unit test.
std::string describe(const Trace& trace, const GraphOptions& options);

}  // namespace slackline::testing
