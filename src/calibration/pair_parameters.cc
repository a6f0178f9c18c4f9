#include "calibration/pair_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include "calibration/robust.h"

namespace slackline {
namespace {

constexpr FindingKind kLatencyBelowZero{
    "pair_latency_below_zero", Severity::notice,
    "Pairs of ranks whose messages take less than the overheads of ranks 0 and 1; their L is 0."};

constexpr FindingKind kGapBelowZero{
    "pair_gap_below_zero", Severity::notice,
    "Pairs of ranks whose long messages took no longer than the short ones; their G is 0."};

constexpr FindingKind kDisturbedPair{
    "pair_disturbed", Severity::notice,
    "Pairs of ranks of which one had to wait for a processor in most repetitions: their L and G "
    "contain that."};

struct RoundTrips {
  std::vector<double> brief;
  std::vector<double> slopes;  // ns a byte, there and back
  std::vector<double> without_processor;
};

auto pair_objects(const std::vector<PairParameters>& pairs) {
  return list_of(pairs, [](const PairParameters& p) {
    return Object{"from"_key = p.from, "to"_key = p.to, "L_ns"_key = p.latency_ns,
                  "G_ns_per_byte"_key = p.gap_ns_per_byte};
  });
}

/// `value(p)` is what both directions of a pair have.
template <class Value>
std::string matrix_text(const CalibrationSamples& samples, const std::vector<PairParameters>& pairs,
                        std::string_view what, std::string_view unit, Value value) {
  std::string text = fmt::format("# {} by sending (row) and receiving (column) rank, measured {}\n",
                                 what, samples.started);
  auto out = std::back_inserter(text);
  for (std::size_t rank = 0; rank < samples.rank_hosts.size(); ++rank) {
    fmt::format_to(out, "# rank {} on {}\n", rank, samples.rank_hosts[rank]);
  }
  const auto ranks = static_cast<std::size_t>(pairs.back().to) + 1;
  std::vector<std::vector<std::string>> cells(ranks, std::vector<std::string>(ranks, "0"));
  for (const PairParameters& p : pairs) {
    const auto from = static_cast<std::size_t>(p.from);
    const auto to = static_cast<std::size_t>(p.to);
    cells[from][to] = cells[to][from] = fmt::format("{:.6g}{}", value(p), unit);
  }
  for (const auto& row : cells) fmt::format_to(out, "{}\n", fmt::join(row, ","));
  return text;
}

}  // namespace

std::vector<PairParameters> pair_parameters(const CalibrationSamples& samples,
                                            const LogGPSFit& fit) {
  std::map<std::pair<std::int32_t, std::int32_t>, RoundTrips> trips;
  for (const PairSample& s : samples.pairs) {
    RoundTrips& t = trips[{s.from, s.to}];
    t.brief.push_back(s.short_ns);
    t.without_processor.push_back(s.without_processor);
    t.slopes.push_back((s.long_ns - s.short_ns) /
                       static_cast<double>(s.long_bytes - s.short_bytes));
  }
  std::vector<PairParameters> pairs;
  if (trips.empty()) return pairs;
  // The file's first pair: ranks 0 and 1.
  const double first_brief = sample_median(trips.begin()->second.brief);
  const double first_slope = sample_median(trips.begin()->second.slopes);
  for (const auto& [ranks, t] : trips) {
    const double latency = fit.latency.value + (sample_median(t.brief) - first_brief) / 2;
    const double gap = first_slope > 0
                           ? fit.gap_per_byte.value * sample_median(t.slopes) / first_slope
                           : fit.gap_per_byte.value;
    PairParameters pair{ranks.first, ranks.second, std::max(0.0, latency), std::max(0.0, gap)};
    pair.latency_below_zero = latency < 0;
    pair.gap_below_zero = gap <= 0;
    pair.disturbed = sample_median(t.without_processor) > kDisturbedCalibration;
    pairs.push_back(pair);
  }
  return pairs;
}

std::string latency_matrix_text(const CalibrationSamples& samples,
                                const std::vector<PairParameters>& pairs) {
  return matrix_text(samples, pairs, "L", "ns", std::mem_fn(&PairParameters::latency_ns));
}

std::string gap_matrix_text(const CalibrationSamples& samples,
                            const std::vector<PairParameters>& pairs) {
  return matrix_text(samples, pairs, "G", "ns/B", std::mem_fn(&PairParameters::gap_ns_per_byte));
}

const JsonType& declared_type(const PairParametersJsonTag*) {
  return json_type_by<pair_objects>();
}

std::optional<PairParametersJson> add_pair_parameters(std::vector<Section>& sections,
                                                      Findings& findings,
                                                      const std::vector<PairParameters>& pairs) {
  if (pairs.empty()) return std::nullopt;
  std::vector<PairParameters> ordered = pairs;
  std::ranges::stable_sort(ordered, {}, &PairParameters::latency_ns);
  Table table{.id = "pair_parameters",
              .title = fmt::format("Latency L of {} pairs of ranks", pairs.size()),
              .columns = {{"pair"},
                          {"from"},
                          {"to"},
                          {"L", Unit::ns},
                          {"G", Unit::none, "of this pair, in ns per byte"}},
              .rows = {}};
  const std::pair<std::string_view, std::size_t> shown[] = {
      {"fastest", 0}, {"median", ordered.size() / 2}, {"slowest", ordered.size() - 1}};
  for (const auto& [name, place] : shown) {
    const PairParameters& p = ordered[place];
    table.rows.push_back({std::string(name), std::int64_t{p.from}, std::int64_t{p.to}, p.latency_ns,
                          fmt::format("{:.4g}", p.gap_ns_per_byte)});
  }
  sections.push_back({.id = "pair_parameters", .title = "Pairs of ranks", .items = {table}});
  for (const PairParameters& p : pairs) {
    const std::string ranks = fmt::format("ranks {} and {}", p.from, p.to);
    if (p.latency_below_zero) findings.add(kLatencyBelowZero, ranks);
    if (p.gap_below_zero) findings.add(kGapBelowZero, ranks);
    if (p.disturbed) findings.add(kDisturbedPair, ranks);
  }
  return pair_objects(pairs);
}

}  // namespace slackline
