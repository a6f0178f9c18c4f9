#include "app/options/option_values.h"

#include <fmt/format.h>

#include <algorithm>

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

std::vector<std::int64_t> parse_degradations(const std::vector<std::string>& texts) {
  if (texts.empty()) return {10'000, 20'000, 50'000};
  std::vector<std::int64_t> ppm;
  for (const std::string& text : texts) {
    ppm.push_back(parse_degradation_ppm(text, "degradation (--degrade)"));
  }
  std::ranges::sort(ppm);
  ppm.erase(std::ranges::unique(ppm).begin(), ppm.end());
  return ppm;
}

std::vector<double> ratios_of(const std::vector<std::int64_t>& ppm) {
  std::vector<double> ratios;
  for (const std::int64_t p : ppm) ratios.push_back(static_cast<double>(p) / 1e6);
  return ratios;
}

void declare_rendezvous_from(OptionList& options, std::string& rendezvous) {
  options.add("--rendezvous-from BYTES", rendezvous,
              "Minimum size of blocking sends that wait for their receive on the ideal network",
              {.example = "32KiB"});
}

IdealOptions ideal_network(const std::string& causality, const std::string& rendezvous,
                           const ModelOptions& model) {
  IdealOptions ideal;
  ideal.causality = parse_collective_causality(causality);
  ideal.rendezvous_bytes = parse_bytes(rendezvous, "--rendezvous-from");
  if (!model.eager_threshold) return ideal;
  if (rendezvous != kRendezvousFrom) {
    throw usage_error("cannot use -S with --rendezvous-from",
                      "both say which sends wait for their receive", "Give one of them.");
  }
  // The threshold is the largest message that is eager.
  ideal.rendezvous_bytes = parse_bytes(*model.eager_threshold, "eager threshold S") + 1;
  return ideal;
}

}  // namespace slackline
