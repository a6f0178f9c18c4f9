#include "timing/cost/linear_cost.h"

#include <numeric>

#include "base/units.h"

namespace slackline {

LogGPSCost::LogGPSCost(const LogGPS& model, Parameter parameter)
    : parameter_(parameter), base_fs_(value_fs(model, parameter)) {
  LogGPS fixed = model;
  if (parameter == Parameter::latency) fixed.latency_fs = 0;
  if (parameter == Parameter::overhead) fixed.overhead_fs = 0;
  if (parameter == Parameter::gap_per_byte) fixed.gap_per_byte_fs = 0;
  tick_fs_ = std::gcd(std::gcd(kFemtosPerNano, fixed.latency_fs),
                      std::gcd(fixed.overhead_fs, fixed.gap_per_byte_fs));
  ticks_per_ns_ = kFemtosPerNano / tick_fs_;
  latency_ = fixed.latency_fs / tick_fs_;
  overhead_ = fixed.overhead_fs / tick_fs_;
  byte_ = fixed.gap_per_byte_fs / tick_fs_;
}

LinearTerm LogGPSCost::term(const Edge& e, std::int32_t /*from_rank*/,
                            std::int32_t /*to_rank*/) const {
  const Int128 fixed = Int128{e.nanoseconds} * ticks_per_ns_ + Int128{e.latencies} * latency_ +
                       Int128{e.overheads} * overhead_ +
                       Int128{multiples(e, Parameter::gap_per_byte)} * byte_;
  return {fixed, multiples(e, parameter_)};
}

}  // namespace slackline
