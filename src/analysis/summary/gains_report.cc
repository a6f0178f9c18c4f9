#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/summary/gains.h"
#include "base/units.h"

namespace slackline {
namespace {

std::string speedup_name(int percent) {
  return fmt::format("{}%", percent);
}

JsonMap<double> gain_by_speedup(const GainCurve& c) {
  JsonMap<double> gain;
  for (std::size_t i = 0; i < kGainSpeedups.size(); ++i) {
    gain.add(speedup_name(kGainSpeedups[i]), c.gain_ns[i]);
  }
  return gain;
}

const Rows<GainCurve> kGainCurves{{"name", &GainCurve::name},
                                  {"kind", &GainCurve::kind},
                                  {"time_ns", &GainCurve::time_ns},
                                  {"share", &GainCurve::share},
                                  {"on_critical_path_ns", &GainCurve::on_path_ns},
                                  {"gain_ns", gain_by_speedup},
                                  {"saturation", &GainCurve::saturation}};
const Rows<OtherGains> kOtherGains{{"kind", &OtherGains::kind},
                                   {"groups", &OtherGains::groups},
                                   {"at_most_ns", &OtherGains::most_ns}};

Paragraph describe(const OtherGains& others) {
  const std::string kind = others.kind == "call-path" ? "call path" : others.kind;
  const std::string time = format_time_ns(others.most_ns);
  if (others.groups == 1) return {fmt::format("1 more {} gains at most {}.", kind, time)};
  return {fmt::format("{} more {}s gain at most {} each.", others.groups, kind, time)};
}

Section gains_section(const Gains& gains, std::string_view kind) {
  const bool calls = kind == "operation";
  Table table{.id = "gains-" + std::string(kind),
              .title = calls ? "Gain from cheaper communication" : "Gain from less computation",
              .columns = {{std::string(kind)},
                          {"profile share", Unit::ratio,
                           calls ? "of all ranks' time in calls without waiting"
                                 : "of all ranks' computation"},
                          {"on critical path", Unit::ns}},
              .rows = {}};
  for (const int speedup : kGainSpeedups) {
    table.columns.push_back(
        {fmt::format("{} less", speedup_name(speedup)), Unit::ns, "reduction of the run time"});
  }
  table.columns.push_back(
      {"saturation", Unit::ratio, "reduction beyond which nothing more is gained"});
  for (const GainCurve& c : gains.curves) {
    if (c.kind != kind) continue;
    std::vector<Value> row{c.name, c.share, c.on_path_ns};
    for (const double gain : c.gain_ns) row.emplace_back(gain);
    row.emplace_back(c.saturation);
    table.rows.push_back(std::move(row));
  }
  Section section{.id = "gains-" + std::string(kind), .title = "Gains by " + std::string(kind)};
  if (!table.rows.empty()) section.items.emplace_back(std::move(table));
  for (const OtherGains& others : gains.others) {
    if (others.kind == kind) section.items.emplace_back(describe(others));
  }
  return section;
}

Paragraph headline(const Gains& gains) {
  if (gains.run_ns <= 0) {
    return {"No gain can be evaluated: there is no interval in which all ranks were recorded."};
  }
  const auto has_name = [](const GainCurve& c) {
    return c.kind == "region" || c.kind == "function";
  };
  const auto best = std::ranges::find_if(gains.curves, has_name);
  const std::string run = fmt::format("{} run time {}.", gains.measured ? "Measured" : "Predicted",
                                      format_time_ns(gains.run_ns));
  if (best == gains.curves.end()) {
    return {run +
            " The trace has neither code regions nor functions; of computation, only ranks can be "
            "distinguished."};
  }
  return {fmt::format(
      "{} Largest gain from one {}: {}, {} shorter if it took no time, {} if it took half.", run,
      best->kind, best->name, format_time_ns(best->gain_ns[3]), format_time_ns(best->gain_ns[2]))};
}

std::string evaluated_on(const Gains& gains) {
  return gains.measured ? "measured_run" : "predicted_run";
}

}  // namespace

const Rows<Gains> kGainRows{{"evaluated_on", evaluated_on},
                            {"run_ns", &Gains::run_ns},
                            {"gains", &Gains::curves, kGainCurves},
                            {"others", &Gains::others, kOtherGains}};

Described<GainsJson> describe(const Gains& gains) {
  Described<GainsJson> report{GainsJson(gains)};
  Section summary{.id = "gains", .title = "Potential gains"};
  summary.items.emplace_back(headline(gains));
  report.sections.push_back(std::move(summary));
  for (const std::string_view kind : kGainKinds) {
    Section section = gains_section(gains, kind);
    if (!section.items.empty()) report.sections.push_back(std::move(section));
  }
  return report;
}

}  // namespace slackline
