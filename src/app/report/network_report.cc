#include "app/report/network_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "analysis/model/pairwise.h"
#include "analysis/model/sensitivity.h"
#include "base/units.h"

namespace slackline {
namespace {

// Values of G take a pass each: their sums do not fit beside each other.
constexpr std::size_t kMostPasses = 300;
constexpr std::size_t kEdgesToVisit = 30'000'000;
constexpr std::size_t kMostParts = 4;

std::int64_t plot_end_fs(const Tolerances& t, std::int64_t today_fs) {
  double end = 10 * std::max(1.0, static_cast<double>(today_fs));
  for (const Tolerances::Row& row : t.rows) {
    if (row.value_ns) end = 1.25 * *row.value_ns * static_cast<double>(kFemtosPerNano);
  }
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(end));
}

auto parameter_object(const VariedParameter& parameter, const Tolerances& t, const Sensitivity& s) {
  return Object{"parameter"_key = parameter.name(), ToleranceRowsJson(t), "exact"_key = s.exact,
                PiecesJson(s)};
}

/// All that is said of one parameter.
struct ParameterAnswer {
  ReturnedBy<parameter_object> result;
  std::vector<Item> items{};
};

/// `id` makes the items' ids unique.
ParameterAnswer answer(const ModelFunctions& functions, const VariedParameter& parameter,
                       const std::string& id, const std::vector<std::int64_t>& degradations_ppm) {
  const ExecutionGraph& graph = functions.graph();
  const VariedParameter named = full_parameter(functions.choice(), parameter);
  MakespanFunction makespan = functions.of(named);
  const Tolerances t = tolerances(makespan, named, degradations_ppm);
  const std::int64_t end_fs = plot_end_fs(t, base_value_fs(graph, functions.choice(), named));
  const Sensitivity s =
      sensitivity(makespan, named, 0, end_fs, plot_effort(graph, kEdgesToVisit, kMostPasses));
  const auto tolerance = describe(t);
  ParameterAnswer a{parameter_object(parameter, t, s)};
  for (const std::string& text : tolerance_sentences(t)) a.items.emplace_back(Paragraph{text});
  Series series = sensitivity_series(s, tolerance_zones(t));
  series.id = "sensitivity-" + id;
  a.items.emplace_back(std::move(series));
  for (Item item : tolerance.sections.front().items) {
    if (auto* table = std::get_if<Table>(&item)) {
      table->id += "-" + id;
      a.items.push_back(std::move(item));
    }
  }
  return a;
}

/// How much of the path's time a part of the network is.
double paid_ns(const PairwiseSensitivity::Class& part) {
  return static_cast<double>(part.lambda) * part.base_ns;
}

/// The parts of the network that the path pays most, without those that are shown by themselves.
std::vector<VariedParameter> parts_worth_a_curve(const PairwiseSensitivity& pairwise,
                                                 const ModelChoice& choice) {
  const std::string latency = full_parameter(choice, {Parameter::latency, ""}).name();
  const std::string gap = full_parameter(choice, {Parameter::gap_per_byte, ""}).name();
  std::vector<PairwiseSensitivity::Class> parts = pairwise.classes;
  std::erase_if(parts, [&](const PairwiseSensitivity::Class& part) {
    const std::string name = part.parameter.name();
    return part.lambda == 0 || name == latency || name == gap;
  });
  std::ranges::stable_sort(parts, std::greater<>(), paid_ns);
  std::vector<VariedParameter> names;
  for (const auto& part : parts) {
    if (names.size() < kMostParts) names.push_back(part.parameter);
  }
  return names;
}

auto parts_object(const std::vector<ClassJson>& classes,
                  const std::vector<ReturnedBy<parameter_object>>& parameters) {
  return Object{"classes"_key = classes, "network_parts"_key = parameters};
}

auto network_object(const ReturnedBy<parameter_object>& bandwidth,
                    const std::optional<ReturnedBy<parts_object>>& parts) {
  return Object{"bandwidth"_key = bandwidth, parts};
}

/// What differs between pairs of ranks.
std::optional<ReturnedBy<parts_object>> add_parts(
    std::vector<Section>& sections, const ModelFunctions& functions,
    const std::vector<std::int64_t>& degradations_ppm) {
  const ModelChoice& choice = functions.choice();
  if (choice.pairs == nullptr) return std::nullopt;
  const PairwiseSensitivity pairwise = pairwise_sensitivity(functions.graph(), choice);
  std::vector<Section> of_classes;
  const std::optional<std::vector<ClassJson>> classes = add_classes(of_classes, pairwise);
  if (!classes) return std::nullopt;
  Section section{.id = "network-parts", .title = "Network parameters by link class"};
  section.items = std::move(of_classes.front().items);
  std::vector<ReturnedBy<parameter_object>> parameters;
  for (const VariedParameter& parameter : parts_worth_a_curve(pairwise, choice)) {
    ParameterAnswer part = answer(functions, parameter, parameter.name(), degradations_ppm);
    parameters.push_back(std::move(part.result));
    std::ranges::move(part.items, std::back_inserter(section.items));
  }
  sections.push_back(std::move(section));
  return parts_object(*classes, parameters);
}

/// The index of the first point at `x` or beyond it.
std::size_t place_of(const Series& series, double x) {
  return static_cast<std::size_t>(std::ranges::lower_bound(series.x, x) - series.x.begin());
}

double between(const Series& series, const Line& line, std::size_t i, double x) {
  const double x0 = series.x[i - 1];
  const double x1 = series.x[i];
  if (line.steps || x1 <= x0) return line.y[i - 1];
  return line.y[i - 1] + (x - x0) / (x1 - x0) * (line.y[i] - line.y[i - 1]);
}

void overlay(Series& series, double measured_ns) {
  if (!series.now || series.x.empty()) return;
  const double x = *series.now;
  const std::size_t i = place_of(series, x);
  if (i == series.x.size()) return;
  if (series.x[i] != x) {
    if (i == 0) return;
    const auto at = static_cast<std::ptrdiff_t>(i);
    for (Line& line : series.lines) {
      line.y.insert(line.y.begin() + at, between(series, line, i, x));
    }
    series.x.insert(series.x.begin() + at, x);
  }
  Line measured{.name = "measured", .unit = Unit::ns, .y = {}, .points = true};
  measured.y.assign(series.x.size(), std::numeric_limits<double>::quiet_NaN());
  measured.y[i] = measured_ns;
  series.lines.push_back(std::move(measured));
}

}  // namespace

const JsonType& declared_type(const NetworkJsonTag*) {
  return json_type_by<network_object>();
}

Described<NetworkJson> network_report(const ModelFunctions& functions,
                                      const std::vector<std::int64_t>& degradations_ppm) {
  ParameterAnswer bandwidth =
      answer(functions, {Parameter::gap_per_byte, ""}, "G", degradations_ppm);
  std::vector<Section> sections{
      {.id = "bandwidth", .title = "Network bandwidth", .items = std::move(bandwidth.items)}};
  const auto parts = add_parts(sections, functions, degradations_ppm);
  return {network_object(bandwidth.result, parts), std::move(sections)};
}

void overlay_measured(std::vector<Section>& sections, double measured_ns) {
  for (Section& section : sections) {
    for (Item& item : section.items) {
      auto* series = std::get_if<Series>(&item);
      if (series != nullptr && series->id == "sensitivity") overlay(*series, measured_ns);
    }
  }
}

}  // namespace slackline
