#include "timing/passes/kernel.h"

#include "timing/passes/lanes.inc"

void slackline::passes::run_lanes_portable(const Program& program, std::int64_t* state,
                                           const std::int64_t* q, const std::int64_t* p) {
  run_lanes(program, state, q, p);
}

void slackline::passes::run_loggps_lanes_portable(const LogGPSProgram& program, std::int64_t* state,
                                                  const Rates* rates) {
  run_loggps_lanes(program, state, rates);
}
