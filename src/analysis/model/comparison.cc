#include "analysis/model/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/sentences.h"
#include "graph/build.h"
#include "graph/collective_index.h"

namespace slackline {
namespace {

double rho(const CollectiveComparison& c, const CollectiveComparison::Alternative& a,
           std::size_t i) {
  return a.makespan_ns[i] > 0 ? c.points_ns[i] * static_cast<double>(a.lambda[i]) / a.makespan_ns[i]
                              : 0;
}

CollectiveComparison::Alternative alternative(const Trace& trace, ModelChoice choice,
                                              const std::string& rules,
                                              const VariedParameter& parameter,
                                              const std::vector<std::int64_t>& points_fs,
                                              const std::vector<std::int64_t>& degradations_ppm,
                                              Findings& findings) {
  choice.graph.collectives.add(rules);
  const ExecutionGraph graph = build_graph(trace, choice.graph);
  findings.merge(graph.findings(), kAlgorithmReplaced);
  CollectiveComparison::Alternative a{.rules = rules, .messages = graph.message_count()};
  MakespanFunction makespan = makespan_function(graph, choice, parameter);
  a.base_ns = makespan.to_ns(makespan.base());
  std::vector<PathProgram::Query> queries;
  for (const std::int64_t fs : points_fs) queries.push_back({makespan.from_fs(fs), Side::right});
  const std::vector<PathLine> lines = makespan.lines_at(queries);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    a.makespan_ns.push_back(makespan.value_ns(lines[i], queries[i].x));
    a.lambda.push_back(lines[i].slope);
  }
  a.tolerances = tolerances(makespan, full_parameter(choice, parameter), degradations_ppm).rows;
  return a;
}

Table points_table(const CollectiveComparison& c) {
  Table table{.id = "comparison",
              .title = fmt::format("Predicted run time and sensitivity by {}", c.parameter.name()),
              .columns = {{c.parameter.name(), Unit::ns}},
              .rows = {}};
  for (const auto& a : c.alternatives) {
    table.columns.push_back({"T " + a.rules, Unit::ns});
    table.columns.push_back(
        {"lambda", Unit::count, "slope of T: multiplicity of the parameter on the critical path"});
    table.columns.push_back({"rho", Unit::ratio, "share of T due to the parameter"});
  }
  for (std::size_t i = 0; i < c.points_ns.size(); ++i) {
    std::vector<Value> row{c.points_ns[i]};
    for (const auto& a : c.alternatives) {
      row.insert(row.end(), {a.makespan_ns[i], a.lambda[i], rho(c, a, i)});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Value tolerance_value(const Tolerances::Row& row) {
  return row.value_ns ? Value(*row.value_ns) : Value(std::string("unlimited"));
}

Table tolerance_table(const CollectiveComparison& c) {
  Table table{.id = "comparison_tolerance",
              .title = fmt::format("Tolerance to {}", c.parameter.name()),
              .columns = {{"collectives"}, {"messages", Unit::count}},
              .rows = {}};
  for (const Tolerances::Row& row : c.alternatives.front().tolerances) {
    table.columns.push_back({percent_of_ppm(row.degradation_ppm) + " slower", Unit::ns});
  }
  for (const auto& a : c.alternatives) {
    std::vector<Value> row{a.rules, static_cast<std::int64_t>(a.messages)};
    for (const Tolerances::Row& t : a.tolerances) {
      row.push_back(tolerance_value(t));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Series series_of(const CollectiveComparison& c) {
  Series series{.id = "comparison",
                .title = fmt::format("Predicted run time and lambda vs. {}", c.parameter.name()),
                .x_name = c.parameter.name(),
                .x_unit = Unit::ns,
                .x = c.points_ns,
                .lines = {},
                .zones = {},
                .now = c.alternatives.front().base_ns};
  for (const auto& a : c.alternatives) {
    series.lines.push_back({"T " + a.rules, Unit::ns, a.makespan_ns, false, 0});
  }
  for (const auto& a : c.alternatives) {
    series.lines.push_back({"lambda " + a.rules, Unit::count,
                            std::vector<double>(a.lambda.begin(), a.lambda.end()), true, 1});
  }
  return series;
}

auto compared_tolerance_object(const Tolerances::Row& t) {
  return Object{"degradation"_key = static_cast<double>(t.degradation_ppm) / 1e6,
                "value_ns"_key = t.value_ns};
}

auto alternative_object(const CollectiveComparison& c, const CollectiveComparison::Alternative& a) {
  std::vector<double> rhos;
  for (std::size_t i = 0; i < c.points_ns.size(); ++i) rhos.push_back(rho(c, a, i));
  return Object{"collectives"_key = a.rules,
                "messages"_key = a.messages,
                "makespan_ns"_key = a.makespan_ns,
                "lambda"_key = a.lambda,
                "rho"_key = rhos,
                "tolerance"_key = list_of(a.tolerances, compared_tolerance_object)};
}

auto alternative_objects(const CollectiveComparison& c) {
  return list_of(c.alternatives, [&](const auto& a) { return alternative_object(c, a); });
}

auto comparison_object(const CollectiveComparison& c) {
  return Object{"parameter"_key = c.parameter.name(), "points_ns"_key = c.points_ns,
                "alternatives"_key = alternative_objects(c)};
}

auto scale_objects(const std::vector<ScaledComparison>& scales) {
  return list_of(scales, [](const ScaledComparison& s) {
    return Object{"ranks"_key = s.ranks, "points_ns"_key = s.comparison.points_ns,
                  "alternatives"_key = alternative_objects(s.comparison)};
  });
}

/// One row a number of ranks, at the one value of the parameter.
Table scales_table(const std::vector<ScaledComparison>& scales) {
  const CollectiveComparison& first = scales.front().comparison;
  Table table{.id = "scales",
              .title = fmt::format("Predicted run time and sensitivity at {} = {:g} us",
                                   first.parameter.name(), first.points_ns.front() / 1e3),
              .columns = {{"ranks", Unit::count}},
              .rows = {}};
  for (const auto& a : first.alternatives) {
    table.columns.push_back({"T " + a.rules, Unit::ns});
    table.columns.push_back(
        {"lambda", Unit::count, "slope of T: multiplicity of the parameter on the critical path"});
    table.columns.push_back({"rho", Unit::ratio, "share of T due to the parameter"});
    // One of them, or the table would be too wide.
    table.columns.push_back(
        {percent_of_ppm(a.tolerances.front().degradation_ppm) + " slower", Unit::ns});
  }
  for (const ScaledComparison& s : scales) {
    std::vector<Value> row{std::int64_t{s.ranks}};
    for (const auto& a : s.comparison.alternatives) {
      row.insert(row.end(), {a.makespan_ns[0], a.lambda[0], rho(s.comparison, a, 0)});
      row.push_back(tolerance_value(a.tolerances.front()));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

CollectiveComparison compare_collectives(const Trace& trace, const ModelChoice& choice,
                                         const std::vector<std::string>& rules,
                                         const VariedParameter& parameter, std::int64_t from_fs,
                                         std::int64_t to_fs, int points,
                                         const std::vector<std::int64_t>& degradations_ppm) {
  std::vector<std::int64_t> points_fs;
  for (int i = 0; i < points; ++i) {
    points_fs.push_back(from_fs +
                        static_cast<std::int64_t>(Int128{to_fs - from_fs} * i / (points - 1)));
  }
  return compare_collectives(trace, choice, rules, parameter, points_fs, degradations_ppm);
}

CollectiveComparison compare_collectives(const Trace& trace, const ModelChoice& choice,
                                         const std::vector<std::string>& rules,
                                         const VariedParameter& parameter,
                                         const std::vector<std::int64_t>& points_fs,
                                         const std::vector<std::int64_t>& degradations_ppm) {
  CollectiveComparison result;
  result.parameter = full_parameter(choice, parameter);
  for (const std::int64_t fs : points_fs) {
    result.points_ns.push_back(static_cast<double>(fs) / 1e6);
  }
  for (const std::string& rule : rules) {
    result.alternatives.push_back(
        alternative(trace, choice, rule, parameter, points_fs, degradations_ppm, result.findings));
  }
  return result;
}

const JsonType& declared_type(const ComparisonJsonTag*) {
  return json_type_by<comparison_object>();
}

Described<ComparisonJson> describe(const CollectiveComparison& c) {
  Described<ComparisonJson> report{comparison_object(c)};
  report.sections.push_back({.id = "comparison",
                             .title = "Collective algorithms",
                             .items = {points_table(c), tolerance_table(c), series_of(c)}});
  report.findings.merge(c.findings);
  return report;
}

const JsonType& declared_type(const ScaledComparisonsJsonTag*) {
  return json_type_by<scale_objects>();
}

ScaledComparisonsJson add_scales(std::vector<Section>& sections,
                                 std::vector<ScaledComparison> scales) {
  std::ranges::stable_sort(scales, {}, &ScaledComparison::ranks);
  sections.push_back({.id = "scales",
                      .title = "Collective algorithms by number of ranks",
                      .items = {scales_table(scales)}});
  return scale_objects(scales);
}

}  // namespace slackline
