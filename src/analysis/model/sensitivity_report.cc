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

using Piece = Sensitivity::Piece;
const Rows<Piece, Sensitivity> kPieces{
    "pieces",
    "",
    {{"from_ns", "from", Unit::ns, &Piece::from_ns},
     {"to_ns", "to", Unit::ns, &Piece::to_ns},
     {"lambda", Unit::count, &Piece::lambda,
      "slope of T: multiplicity of the parameter on the critical path"},
     {"makespan_at_from_ns", "T at start", Unit::ns, &Piece::makespan_at_from_ns},
     {kShown, "increase of T", Unit::ns,
      [](auto& p, auto& s) { return p.makespan_at_from_ns - s.pieces.front().makespan_at_from_ns; },
      "over T at the start of the interval"}}};

std::vector<double> breakpoints_of(const Sensitivity& s) {
  std::vector<double> breakpoints;
  for (std::size_t i = 1; s.exact && i < s.pieces.size(); ++i) {
    breakpoints.push_back(s.pieces[i].from_ns);
  }
  return breakpoints;
}

Value value_or(const Tolerances::Row& row, double less, const char* otherwise) {
  return row.value_ns ? Value(*row.value_ns - less) : Value(std::string(otherwise));
}

const Rows<Tolerances::Row, Tolerances> kTolerated{
    "tolerance",
    "",
    {{"degradation", "slower by", Unit::ratio, [](auto& row) { return ratio(row.degradation_ppm); },
      "allowed increase of the run time"},
     {"value_ns", &Tolerances::Row::value_ns},
     {"makespan_ns", "run time", Unit::ns, &Tolerances::Row::bound_ns},
     {kShown, "maximum", Unit::ns, [](auto& row) { return value_or(row, 0, "unlimited"); }},
     {kShown, "margin", Unit::ns,
      [](auto& row, auto& t) { return value_or(row, t.base_ns, "-"); }}}};

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

const Rows<Sensitivity> kLinearPieces{{"pieces", &Sensitivity::pieces, kPieces},
                                      {"breakpoints_ns", breakpoints_of}};

const Rows<Sensitivity> kSensitivity{
    {"parameter", [](auto& s) { return s.parameter.name(); }},
    {"exact", &Sensitivity::exact},
    {kIfKnown, "gap_ns", [](auto& s) { return known_if(!s.exact, s.gap_ns); }},
    {"passes", &Sensitivity::passes},
    {kSpliced, [](auto& s) -> auto& { return s; }, kLinearPieces}};

Described<SensitivityJson> describe(const Sensitivity& s) {
  Described<SensitivityJson> report{SensitivityJson(s)};
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
  Table table = kPieces.table(s.pieces, s);
  table.title = fmt::format("Linear pieces of T({})", s.parameter.name());
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

const Rows<Tolerances> kToleranceRows{{"tolerance", &Tolerances::rows, kTolerated}};

const Rows<Tolerances> kTolerances{{"parameter", [](auto& t) { return t.parameter.name(); }},
                                   {"base_ns", &Tolerances::base_ns},
                                   {"base_makespan_ns", &Tolerances::makespan_ns},
                                   {"passes", &Tolerances::passes},
                                   {"tolerance", &Tolerances::rows, kTolerated}};

Described<TolerancesJson> describe(const Tolerances& t) {
  Described<TolerancesJson> report{TolerancesJson(t)};
  Section section{.id = "tolerance", .title = "Tolerance"};
  Table table = kTolerated.table(t.rows, t);
  table.title = fmt::format("Tolerance to {}", parameter_name(t.parameter));
  column_named(table, "maximum").name = fmt::format("maximum {}", t.parameter.name());
  for (const std::string& text : tolerance_sentences(t)) {
    section.items.emplace_back(Paragraph{text});
  }
  section.items.emplace_back(std::move(table));
  report.sections.push_back(std::move(section));
  return report;
}

}  // namespace slackline
