// What grows with the ranks: a law for each quantity of each region, so that a function which is
// cheap today and dominates at scale is seen before it does.

#include "analysis/efficiency/scaling_laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/units.h"
#include "calls/call_actions.h"
#include "calls/call_paths.h"
#include "calls/run_span.h"

namespace slackline {
namespace {

/// Regions with less of a quantity in all runs are left out.
constexpr double kLeastShareOfQuantity = 0.01;
/// With fewer runs, several laws fit equally well.
constexpr std::size_t kAdvisedRuns = 5;

struct Quantity {
  std::string_view key;
  std::string_view name;
  Unit unit;
  double RegionQuantities::*value;
};

constexpr std::array<Quantity, 3> kQuantities{
    {{"computation", "computation per rank", Unit::ns, &RegionQuantities::computation_ns},
     {"messages", "messages per rank", Unit::none, &RegionQuantities::messages},
     {"bytes", "bytes per rank", Unit::bytes, &RegionQuantities::bytes}}};

/// A law with what it is of.
struct FittedLaw {
  std::string quantity;
  std::string name;  ///< of the region or factor
  Unit unit = Unit::none;
  ScalingLaw law{};
  double at_most_ranks = 0;  ///< measured in the largest run; orders the table
};

std::vector<ScalingPoint> points_of(const std::vector<RunQuantities>& runs,
                                    const std::string& region, const Quantity& quantity) {
  std::vector<ScalingPoint> points;
  for (const RunQuantities& run : runs) {
    const auto found = run.by_region.find(region);
    points.push_back({static_cast<double>(run.ranks),
                      found == run.by_region.end() ? 0 : found->second.*(quantity.value)});
  }
  return points;
}

double at_most_ranks(const std::vector<ScalingPoint>& points) {
  return std::ranges::max_element(points, {}, &ScalingPoint::ranks)->value;
}

void add_regions(const std::vector<RunQuantities>& runs, const Quantity& quantity,
                 std::vector<FittedLaw>& laws) {
  std::set<std::string> regions;
  double all = 0;
  for (const RunQuantities& run : runs) {
    for (const auto& [region, q] : run.by_region) {
      regions.insert(region);
      all = std::max(all, q.*(quantity.value));
    }
  }
  std::vector<FittedLaw> found;
  for (const std::string& region : regions) {
    const std::vector<ScalingPoint> points = points_of(runs, region, quantity);
    const double most = std::ranges::max_element(points, {}, &ScalingPoint::value)->value;
    if (most <= kLeastShareOfQuantity * all) continue;
    if (const auto law = fit_scaling_law(points)) {
      found.push_back({std::string(quantity.key), region.empty() ? "(no region)" : region,
                       quantity.unit, *law, at_most_ranks(points)});
    }
  }
  std::ranges::stable_sort(found, std::ranges::greater{}, &FittedLaw::at_most_ranks);
  std::ranges::move(found, std::back_inserter(laws));
}

void add_factors(const std::vector<Efficiency>& runs, std::vector<FittedLaw>& laws) {
  using Value = std::function<double(const EfficiencyFactors&)>;
  const std::array<std::pair<std::string_view, Value>, 4> factors_of{
      {{"parallel efficiency", [](const EfficiencyFactors& f) { return f.parallel; }},
       {"load balance", [](const EfficiencyFactors& f) { return f.load_balance; }},
       {"serialisation efficiency", [](const EfficiencyFactors& f) { return f.serialisation; }},
       {"transfer efficiency", [](const EfficiencyFactors& f) { return f.transfer; }}}};
  for (const auto& [name, value] : factors_of) {
    std::vector<ScalingPoint> points;
    for (const Efficiency& run : runs) {
      if (!run.analysed.has_time()) continue;
      points.push_back({static_cast<double>(run.analysed.ranks),
                        value(factors(run.analysed, EfficiencyVariant::multiplicative))});
    }
    if (const auto law = fit_scaling_law(points)) {
      laws.push_back({"efficiency", std::string(name), Unit::ratio, *law, at_most_ranks(points)});
    }
  }
}

/// No share is negative, no efficiency over 1, no quantity negative.
Extrapolation limited(Extrapolation e, Unit unit) {
  const double most = unit == Unit::ratio ? 1 : std::numeric_limits<double>::infinity();
  const auto within = [&](double v) { return std::clamp(v, 0.0, most); };
  return {within(e.value), within(e.low), within(e.high)};
}

auto extrapolated_object(const FittedLaw& f, double ranks) {
  const Extrapolation e = limited(f.law.extrapolate(ranks), f.unit);
  return Object{"ranks"_key = ranks, "value"_key = e.value, "low"_key = e.low, "high"_key = e.high};
}

auto law_object(const FittedLaw& f, const std::vector<double>& ranks) {
  return Object{
      "quantity"_key = f.quantity,
      "name"_key = f.name,
      "formula"_key = f.law.formula(),
      "constant"_key = f.law.constant,
      "coefficient"_key = f.law.coefficient,
      "exponent"_key = f.law.exponent,
      "log_exponent"_key = f.law.log_exponent,
      "cross_validation_error"_key = f.law.cross_validation_error,
      "extrapolated"_key = list_of(ranks, [&](double p) { return extrapolated_object(f, p); })};
}

auto law_objects(const std::vector<FittedLaw>& laws, const std::vector<double>& ranks) {
  return list_of(laws, [&](const FittedLaw& f) { return law_object(f, ranks); });
}

Table laws_table(const std::vector<FittedLaw>& laws, std::string_view quantity,
                 std::string_view title, const std::vector<double>& ranks) {
  Table table{.id = fmt::format("scaling-{}", quantity),
              .title = fmt::format("Scaling of {}", title),
              .columns = {{"of"},
                          {"law", Unit::none, "p: number of ranks"},
                          {"error", Unit::ratio, "mean in cross-validation"}},
              .rows = {}};
  const auto mine = std::ranges::find(laws, quantity, &FittedLaw::quantity);
  if (mine == laws.end()) return table;
  for (const double p : ranks) {
    table.columns.push_back({fmt::format("at {:.0f}", p), mine->unit, "extrapolated"});
    table.columns.push_back({fmt::format("low {:.0f}", p), mine->unit, "95 % interval"});
    table.columns.push_back({fmt::format("high {:.0f}", p), mine->unit, "95 % interval"});
  }
  for (const FittedLaw& f : laws) {
    if (f.quantity != quantity) continue;
    std::vector<Value> row{f.name, f.law.formula(), f.law.cross_validation_error};
    for (const double p : ranks) {
      const Extrapolation e = limited(f.law.extrapolate(p), f.unit);
      row.emplace_back(e.value);
      row.emplace_back(e.low);
      row.emplace_back(e.high);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

void add_calls(const Trace& trace, const CallPaths& paths, std::int32_t rank, RunQuantities& q) {
  const RankCalls& calls = trace.calls(rank);
  const RankSpan span = rank_span(calls);
  for (std::size_t i = span.first_call; i < span.last_call; ++i) {
    const auto call = static_cast<std::uint32_t>(i);
    paths.split_gap(rank, call, [&](PathId path, std::int64_t ns) {
      q.by_region[paths.innermost(path)].computation_ns += static_cast<double>(ns);
    });
    if (!may_send(operation_class(calls.operation(i)))) continue;
    RegionQuantities& at = q.by_region[paths.innermost(paths.at_call(rank, call))];
    for_each_send(calls[i], [&](const PostedMessage& message) {
      if (message.peer < 0) return;
      ++at.messages;
      at.bytes += static_cast<double>(message.bytes);
    });
  }
}

}  // namespace

RunQuantities run_quantities(const Trace& trace) {
  const CallPaths paths = CallPaths::of_regions_or_functions(trace);
  RunQuantities quantities;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    if (!trace.calls(rank).empty()) ++quantities.ranks;
    add_calls(trace, paths, rank, quantities);
  }
  const double ranks = std::max(1, quantities.ranks);
  for (auto& [region, q] : quantities.by_region) {
    q.computation_ns /= ranks;
    q.messages /= ranks;
    q.bytes /= ranks;
  }
  return quantities;
}

const JsonType& declared_type(const ScalingLawsJsonTag*) {
  return json_type_by<law_objects>();
}

std::optional<ScalingLaws> scaling_laws(const std::vector<RunQuantities>& quantities,
                                        const std::vector<Efficiency>& runs) {
  Section section{.id = "scaling-laws", .title = "Scaling laws"};
  std::vector<FittedLaw> laws;
  add_factors(runs, laws);
  for (const Quantity& quantity : kQuantities) add_regions(quantities, quantity, laws);
  if (laws.empty()) return std::nullopt;
  std::int32_t most = 0;
  for (const RunQuantities& run : quantities) most = std::max(most, run.ranks);
  const std::vector<double> ranks{2.0 * most, 4.0 * most};
  section.items.emplace_back(Paragraph{fmt::format(
      "Each law is the one with one term p^i log2(p)^j that predicts runs best from the others.{} "
      "Extrapolations hold as long as nothing else comes to dominate.",
      runs.size() < kAdvisedRuns
          ? fmt::format(" {} runs are few: other laws fit about as well, and intervals are wide.",
                        runs.size())
          : "")});
  section.items.emplace_back(laws_table(laws, "efficiency", "efficiency factors", ranks));
  for (const Quantity& quantity : kQuantities) {
    Table table = laws_table(laws, quantity.key, quantity.name, ranks);
    if (!table.rows.empty()) section.items.emplace_back(std::move(table));
  }
  return ScalingLaws{std::move(section), law_objects(laws, ranks)};
}

}  // namespace slackline
