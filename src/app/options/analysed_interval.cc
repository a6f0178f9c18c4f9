#include "app/options/analysed_interval.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr const char* kWays = "Choose common, program, run, or times such as 1.5s..2s.";

}  // namespace

std::optional<TimeInterval> resolve_interval(const std::string& text, const Trace& trace) {
  if (text.empty() || text == "common") return std::nullopt;
  return resolve_interval(text, run_span(trace));
}

std::optional<TimeInterval> resolve_interval(const std::string& text, const RunSpan& run) {
  if (text.empty() || text == "common") return std::nullopt;
  if (text == "program") return run.analysed;
  if (text == "run") return run.whole;
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) {
    throw usage_error(fmt::format("unknown interval '{}'", text), "no such name", kWays);
  }
  const auto time = [](const std::string& part) {
    return parse_time_fs(part, "--interval") / kFemtosPerNano;
  };
  const TimeInterval asked{time(text.substr(0, dots)), time(text.substr(dots + 2))};
  if (asked.begin_ns >= asked.end_ns || asked.end_ns > run.whole.length_ns()) {
    throw usage_error(fmt::format("cannot analyse the interval '{}'", text),
                      fmt::format("the run is from 0 to {}",
                                  format_time_ns(static_cast<double>(run.whole.length_ns()))),
                      "Give a begin before an end, both from the start of the run.");
  }
  return TimeInterval{run.whole.begin_ns + asked.begin_ns, run.whole.begin_ns + asked.end_ns};
}

}  // namespace slackline
