#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <string>

#include "analysis/model/sensitivity.h"
#include "base/sentences.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr double kCurvePoints = 50;

std::string parameter_name(const VariedParameter& parameter) {
  switch (parameter.kind) {
    case Parameter::latency:
      return "latency " + parameter.name();
    case Parameter::overhead:
      return "overhead " + parameter.name();
    case Parameter::gap_per_byte:
      return "gap per byte " + parameter.name();
  }
  return parameter.name();
}

/// G is a time per byte; shown like a time.
std::string format_parameter(const VariedParameter& parameter, double value_ns) {
  const std::string per_byte = parameter.kind == Parameter::gap_per_byte ? "/B" : "";
  return format_time_ns(value_ns) + per_byte;
}

double ratio(std::int64_t ppm) {
  return static_cast<double>(ppm) / 1e6;
}

auto piece_object(const Sensitivity::Piece& p) {
  return Object{"from_ns"_key = p.from_ns, "to_ns"_key = p.to_ns, "lambda"_key = p.lambda,
                "makespan_at_from_ns"_key = p.makespan_at_from_ns};
}

auto pieces_object(const Sensitivity& s) {
  std::vector<double> breakpoints;
  for (std::size_t i = 1; s.exact && i < s.pieces.size(); ++i) {
    breakpoints.push_back(s.pieces[i].from_ns);
  }
  return Object{"pieces"_key = list_of(s.pieces, piece_object), "breakpoints_ns"_key = breakpoints};
}

auto sensitivity_object(const Sensitivity& s) {
  return Object{"parameter"_key = s.parameter.name(), "exact"_key = s.exact,
                "gap_ns"_key.when(!s.exact, s.gap_ns), "passes"_key = s.passes, pieces_object(s)};
}

auto tolerance_objects(const Tolerances& t) {
  return list_of(t.rows, [](const Tolerances::Row& row) {
    return Object{"degradation"_key = ratio(row.degradation_ppm), "value_ns"_key = row.value_ns,
                  "makespan_ns"_key = row.bound_ns};
  });
}

auto tolerances_object(const Tolerances& t) {
  return Object{"parameter"_key = t.parameter.name(), "base_ns"_key = t.base_ns,
                "base_makespan_ns"_key = t.makespan_ns, "passes"_key = t.passes,
                "tolerance"_key = tolerance_objects(t)};
}

}  // namespace

Series sensitivity_series(const Sensitivity& s, std::vector<Zone> zones) {
  Series series{.id = "sensitivity",
                .title = fmt::format("Predicted run time vs. {}", parameter_name(s.parameter)),
                .x_name = parameter_name(s.parameter),
                .x_unit = Unit::ns,
                .x = {},
                .lines = {},
                .zones = std::move(zones),
                .now = s.base_ns};
  Line makespan{.name = "T", .unit = Unit::ns, .y = {}, .steps = false, .panel = 0};
  Line lambda{.name = fmt::format("lambda_{}", s.parameter.name()),
              .unit = s.parameter.kind == Parameter::gap_per_byte ? Unit::bytes : Unit::count,
              .y = {},
              .steps = s.exact,  // where it changes then is a critical value
              .panel = 1};
  Line rho{.name = fmt::format("rho_{}", s.parameter.name()),
           .unit = Unit::ratio,
           .y = {},
           .steps = false,
           .panel = 2};
  const auto add = [&](double x, double t, std::int64_t slope) {
    series.x.push_back(x);
    makespan.y.push_back(t);
    lambda.y.push_back(static_cast<double>(slope));
    rho.y.push_back(t > 0 ? x * static_cast<double>(slope) / t : 0);
  };
  // Both limits at every breakpoint, and points between where rho bends visibly.
  const double range = s.pieces.empty() ? 0 : s.pieces.back().to_ns - s.pieces.front().from_ns;
  for (const Sensitivity::Piece& p : s.pieces) {
    const double length = p.to_ns - p.from_ns;
    const auto steps = static_cast<int>(std::ceil(kCurvePoints * length / std::max(range, 1e-9)));
    for (int i = 0; i <= steps; ++i) {
      const double along = length * i / std::max(1, steps);
      add(p.from_ns + along, p.makespan_at_from_ns + along * static_cast<double>(p.lambda),
          p.lambda);
    }
  }
  series.lines = {std::move(makespan), std::move(lambda), std::move(rho)};
  return series;
}

const JsonType& declared_type(const PiecesJsonTag*) {
  return json_type_by<pieces_object>();
}

PiecesJson pieces_to_json(const Sensitivity& sensitivity) {
  return pieces_object(sensitivity);
}

const JsonType& declared_type(const SensitivityJsonTag*) {
  return json_type_by<sensitivity_object>();
}

Described<SensitivityJson> describe(const Sensitivity& s) {
  Described<SensitivityJson> report{sensitivity_object(s)};
  Section section{.id = "sensitivity", .title = "Sensitivity"};
  section.items.emplace_back(Paragraph{
      s.exact ? fmt::format("T is piecewise linear in {} with {}, all listed.",
                            parameter_name(s.parameter),
                            count_of(s.pieces.size() - 1, "critical value"))
              : fmt::format("{}; those listed approximate it from below to within {}.",
                            s.stopped ? "Interrupted before all linear pieces of T were found"
                                      : "T has too many linear pieces to list",
                            format_time_ns(s.gap_ns))});
  section.items.emplace_back(sensitivity_series(s, {}));
  Table table{.id = "pieces",
              .title = fmt::format("Linear pieces of T({})", s.parameter.name()),
              .columns = {{"from", Unit::ns},
                          {"to", Unit::ns},
                          {"lambda", Unit::count,
                           "slope of T: multiplicity of the parameter on the critical path"},
                          {"T at start", Unit::ns},
                          {"increase of T", Unit::ns, "over T at the start of the interval"}},
              .rows = {}};
  for (const Sensitivity::Piece& p : s.pieces) {
    table.rows.push_back({p.from_ns, p.to_ns, p.lambda, p.makespan_at_from_ns,
                          p.makespan_at_from_ns - s.pieces.front().makespan_at_from_ns});
  }
  section.items.emplace_back(std::move(table));
  report.sections.push_back(std::move(section));
  return report;
}

std::vector<Zone> tolerance_zones(const Tolerances& t) {
  std::vector<Zone> zones;
  double from = 0;
  std::int64_t from_ppm = 0;
  for (const Tolerances::Row& row : t.rows) {
    if (!row.value_ns) continue;
    zones.push_back({fmt::format("{:g}-{} slower", static_cast<double>(from_ppm) / 1e4,
                                 percent_of_ppm(row.degradation_ppm)),
                     from, *row.value_ns});
    from = *row.value_ns;
    from_ppm = row.degradation_ppm;
  }
  return zones;
}

std::vector<std::string> tolerance_sentences(const Tolerances& t) {
  std::string subject = parameter_name(t.parameter);
  subject.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(subject.front())));
  std::vector<std::string> limits;
  bool unlimited = false;
  for (const Tolerances::Row& row : t.rows) {
    const std::string percent = percent_of_ppm(row.degradation_ppm);
    if (!row.value_ns) {
      unlimited = true;
    } else {
      limits.push_back(fmt::format("{} ({}{})", format_parameter(t.parameter, *row.value_ns),
                                   percent, limits.empty() ? " longer run time" : ""));
    }
  }
  std::vector<std::string> sentences;
  if (!limits.empty()) {
    sentences.push_back(fmt::format("{} may increase from {} to {}.", subject,
                                    format_parameter(t.parameter, t.base_ns), enumeration(limits)));
  }
  if (unlimited) {
    sentences.push_back(fmt::format(
        "{} may increase without limit: the predicted run time does not depend on it.", subject));
  }
  return sentences;
}

const JsonType& declared_type(const ToleranceRowsJsonTag*) {
  return json_type_by<tolerance_objects>();
}

ToleranceRowsJson rows_to_json(const Tolerances& tolerances) {
  return tolerance_objects(tolerances);
}

const JsonType& declared_type(const TolerancesJsonTag*) {
  return json_type_by<tolerances_object>();
}

Described<TolerancesJson> describe(const Tolerances& t) {
  Described<TolerancesJson> report{tolerances_object(t)};
  Section section{.id = "tolerance", .title = "Tolerance"};
  Table table{.id = "tolerance",
              .title = fmt::format("Tolerance to {}", parameter_name(t.parameter)),
              .columns = {{"slower by", Unit::ratio, "allowed increase of the run time"},
                          {"run time", Unit::ns},
                          {fmt::format("maximum {}", t.parameter.name()), Unit::ns},
                          {"margin", Unit::ns}},
              .rows = {}};
  for (const Tolerances::Row& row : t.rows) {
    const Value value = row.value_ns ? Value(*row.value_ns) : Value(std::string("unlimited"));
    const Value above = row.value_ns ? Value(*row.value_ns - t.base_ns) : Value(std::string("-"));
    table.rows.push_back({ratio(row.degradation_ppm), row.bound_ns, value, above});
  }
  for (const std::string& text : tolerance_sentences(t)) {
    section.items.emplace_back(Paragraph{text});
  }
  section.items.emplace_back(std::move(table));
  report.sections.push_back(std::move(section));
  return report;
}

}  // namespace slackline
