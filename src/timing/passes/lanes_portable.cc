#include "timing/passes/kernel.h"
#include "timing/passes/lanes.inc"
#include "timing/passes/lines.inc"

void slackline::passes::run_lanes_portable(const Program& program, std::int64_t* state,
                                           const std::int64_t* q, const std::int64_t* p) {
  run_lanes(program, state, q, p);
}

void slackline::passes::run_loggps_lanes_portable(const LogGPSProgram& program, std::int64_t* state,
                                                  const Rates* rates) {
  run_loggps_lanes(program, state, rates);
}

void slackline::passes::run_lines_portable(const Program& program, std::int64_t* state,
                                           const LineQuery* queries) {
  run_lines(program, state, queries, [](const Edge& e) {
    return LineOfEdge{e.fixed, static_cast<std::int64_t>(e.multiples)};
  });
}

void slackline::passes::run_loggps_lines_portable(const LogGPSProgram& program, std::int64_t* state,
                                                  const LineQuery* queries, const Rates& fixed,
                                                  const Rates& multiples) {
  run_lines(program, state, queries, [&](const LogGPSEdge& e) {
    return LineOfEdge{price_of(program, e, fixed), price_of(program, e, multiples)};
  });
}

void slackline::passes::run_sampled_portable(const SampledProgram& program, double* state,
                                             const double* x) {
  run_sampled(program, state, x);
}
